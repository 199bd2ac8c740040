// What is asked of a person, and what the person answers.
#pragma once

#include "model/type.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cadre::model {

enum class HumanRequestType : std::uint8_t {
    approval,
    feedback,
    escalation,
    outcome_unknown,  // a call may or may not have happened before a crash
};
std::span<const EnumName> names_of(const HumanRequestType*);

/// Read in both spellings, 000's approve and 004's approved (C-15).
enum class HumanVerb : std::uint8_t {
    approve,
    reject,
    modify,
    timeout,       // nobody answered in time
    happened,      // outcome_unknown: it did, and `updates` has its result
    not_happened,  // outcome_unknown: it did not, run it
};
std::span<const EnumName> names_of(const HumanVerb*);
/// The verb as document 004 writes it: `approved`.
std::string_view participle(HumanVerb verb);

struct HumanAnswer {
    HumanVerb verb = HumanVerb::approve;
    std::string message{};
    boost::json::object updates{};
    std::optional<std::string> by{};
    std::int64_t after_ms = 0;

    bool operator==(const HumanAnswer&) const = default;
};
const Entity& describe(const HumanAnswer*);

struct HumanRequest {
    std::string id{};
    std::string task{};
    std::string checkpoint{};
    HumanRequestType type = HumanRequestType::approval;
    std::string agent{};
    boost::json::object context{};
    std::optional<std::int64_t> timeout_ms{};
    std::optional<HumanAnswer> answer{};

    bool operator==(const HumanRequest&) const = default;
};
const Entity& describe(const HumanRequest*);

/// Whether a request of that type can be answered so: an unknown outcome is not approved, it happened or it did not.
bool suits(HumanRequestType type, HumanVerb verb);

}  // namespace cadre::model
