// What model calls of a task were sent, for people and for programs.
#pragma once

#include "base/id.hpp"
#include "base/time.hpp"
#include "engine/sent_request.hpp"
#include "model/step.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::cli {

struct Output;

struct SentCall {
    std::string id{};
    std::string name{};
    boost::json::object arguments{};

    bool operator==(const SentCall&) const = default;
};
const model::Entity& describe(const SentCall*);

/// A picture, without its bytes.
struct SentImage {
    std::string media_type{};
    std::string url{};
    std::int64_t bytes = 0;

    bool operator==(const SentImage&) const = default;
};
const model::Entity& describe(const SentImage*);

struct SentMessage {
    model::Role role = model::Role::user;
    std::string text{};
    std::vector<SentCall> calls{};
    std::string call_id{};
    bool is_error = false;
    std::vector<SentImage> images{};

    bool operator==(const SentMessage&) const = default;
};
const model::Entity& describe(const SentMessage*);

struct SentTool {
    std::string name{};
    std::string description{};
    boost::json::value input_schema{};
};
const model::Entity& describe(const SentTool*);

struct SentOptions {
    std::optional<double> temperature{};
    std::optional<std::int64_t> max_tokens{};
    std::vector<std::string> stop{};
    std::optional<std::int64_t> seed{};
    std::optional<boost::json::value> output_schema{};
    std::string reasoning_effort{};
};
const model::Entity& describe(const SentOptions*);

struct SentView {
    std::uint32_t seq = 0;
    Time at{};
    std::string path{};
    std::string step_id{};
    std::string agent{};
    std::string model{};
    int attempt = 1;
    std::string instructions{};
    std::vector<SentMessage> messages{};
    std::vector<SentTool> tools{};
    SentOptions options{};
};
const model::Entity& describe(const SentView*);

/// `show --requests --json`.
struct SentViews {
    std::string task{};
    std::vector<SentView> requests{};
};
const model::Entity& describe(const SentViews*);

/// What looks like a key is masked in it.
SentViews view_of(const Id& task, const std::vector<engine::SentRequest>& requests);

/// For people, one text for each. Messages that an earlier call of the same agent has had already are counted, not repeated.
std::vector<std::string> pages_of(const SentViews& views, const Output& output, std::size_t width);

}  // namespace cadre::cli
