// State: what the nodes of a running graph share, and the one way in which it changes.
#pragma once

#include "model/type.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {

struct State {
    std::vector<std::string> messages{};  // ids of Steps: history exists once, and is shown as messages by the views
    std::optional<std::string> next_action{};
    std::string current_agent{};
    std::optional<std::string> routing_key{};
    boost::json::object metadata{};

    bool operator==(const State&) const = default;
};
const Entity& describe(const State*);

/// How an update of a declared field of `metadata` meets what is there.
enum class Reducer : std::uint8_t { replace, append, merge, max, min };
std::span<const EnumName> names_of(const Reducer*);

/// A field of `metadata` that a workflow declares (C-23).
struct StateField {
    boost::json::object schema{};
    Reducer reducer = Reducer::replace;

    bool operator==(const StateField&) const = default;
};
const Entity& describe(const StateField*);

/// `update` put onto `old` (null if there was nothing). Throws Error(invalid) if the reducer has no use for the two.
boost::json::value reduced(Reducer reducer, const boost::json::value& old, const boost::json::value& update);

/// The state after an update: messages are appended, never replaced or removed; every other field is replaced; declared
/// metadata goes through its reducer. Throws Error(invalid) for what is no state.
State updated(State state, const boost::json::object& update, const Dict<StateField>& declared = {});

}  // namespace cadre::model
