#include "patterns/ask/domain_tool.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace cadre::patterns {

namespace json = boost::json;

namespace {

constexpr std::string_view kPollPrefix = "poll_";
constexpr std::string_view kConversationId = "conversation_id";
constexpr std::array<std::string_view, 7> kQuestionNames{"query",  "question", "q",    "text",
                                                         "prompt", "message",  "input"};

/// Behind the server's name.
std::string_view own_name(std::string_view tool)
{
    return tool.substr(tool.rfind('.') + 1);
}

/// Behind the last underscore: what `query_space_01f` and `poll_response_01f` have in common.
std::string_view ending_of(std::string_view tool)
{
    return tool.substr(tool.rfind('_') + 1);
}

std::string text_of_ext(const model::domains::Domain& domain, std::string_view name)
{
    const json::value* value = domain.ext.if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : "";
}

const json::object* properties_of(const model::Tool* tool)
{
    const json::value* properties =
        tool && tool->input_schema ? tool->input_schema->if_contains("properties") : nullptr;
    return properties ? properties->if_object() : nullptr;
}

std::vector<std::string> required_of(const model::Tool& tool)
{
    std::vector<std::string> names;
    const json::value* required = tool.input_schema ? tool.input_schema->if_contains("required") : nullptr;
    if (!required || !required->is_array()) return names;
    for (const json::value& name : required->get_array())
        if (name.is_string()) names.emplace_back(name.get_string());
    return names;
}

bool is_text_property(const json::value& property)
{
    const auto* object = property.if_object();
    const auto* type = object ? object->if_contains("type") : nullptr;
    return type && type->is_string() && type->get_string() == "string";
}

/// What the tool calls the question: a usual name, else the only text that it must have.
std::string question_name(const model::Tool* tool)
{
    const json::object* properties = properties_of(tool);
    if (!properties) return "query";
    for (const std::string_view name : kQuestionNames)
        if (properties->contains(name)) return std::string(name);
    std::string only;
    for (const std::string& name : required_of(*tool)) {
        const json::value* property = properties->if_contains(name);
        if (!property || !is_text_property(*property) || name == kConversationId) continue;
        if (!only.empty()) return "query";
        only = name;
    }
    return only.empty() ? "query" : only;
}

bool is_one_of_words(const std::string& word, std::initializer_list<std::string_view> words)
{
    return std::ranges::find(words, word) != words.end();
}

bool means_not_yet(const std::string& status)
{
    return is_one_of_words(status, {"pending", "queued", "running", "in_progress", "executing"});
}

bool is_id(std::string_view name)
{
    return name == "id" || name.ends_with("_id");
}

}  // namespace

std::vector<DomainTool> tools_of(const model::domains::Domain& domain)
{
    const std::string named = text_of_ext(domain, "poll");
    std::vector<std::string> polls;
    std::vector<DomainTool> asked;
    for (const std::string& tool : domain.mcp_tools) {
        if (tool == named || own_name(tool).starts_with(kPollPrefix)) polls.push_back(tool);
        else asked.push_back({.name = tool});
    }
    for (DomainTool& tool : asked) {
        const auto like = std::ranges::find_if(
            polls, [&](const std::string& poll) { return ending_of(poll) == ending_of(tool.name); });
        if (!named.empty()) tool.poll = named;
        else if (like != polls.end()) tool.poll = *like;
        else if (polls.size() == 1) tool.poll = polls.front();
    }
    return asked;
}

bool can_be_asked(const model::domains::Domain& domain)
{
    return domain.enabled && !tools_of(domain).empty();
}

std::string source_of(const model::domains::Domain& domain)
{
    const std::string named = text_of_ext(domain, "source");
    return domain.name + "." + (named.empty() ? "genie" : named);
}

json::object query_arguments(const model::Tool* tool, std::string_view question, std::string_view conversation)
{
    json::object arguments;
    arguments[question_name(tool)] = question;
    const json::object* properties = properties_of(tool);
    if (!conversation.empty() && (!properties || properties->contains(kConversationId)))
        arguments[kConversationId] = conversation;
    return arguments;
}

bool takes_question(const model::Tool& tool)
{
    const std::string question = question_name(&tool);
    return std::ranges::all_of(required_of(tool), [&](const std::string& name) { return name == question; });
}

ToolProgress progress_in(std::string_view text, bool can_poll)
{
    ToolProgress progress{.answer = json::string(text)};
    try {
        progress.answer = parse_json(text);
    } catch (const Error&) {  // plain words
    }
    const auto* object = progress.answer.if_object();
    const auto* status = object ? object->if_contains("status") : nullptr;
    if (!status || !status->is_string()) return progress;
    std::string word(status->get_string());
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    progress.status = std::string(status->get_string());
    if (means_not_yet(word)) progress.what = ToolProgress::What::pending;
    else if (can_poll && !is_one_of_words(word, {"completed", "succeeded"})) progress.what = ToolProgress::What::failed;
    return progress;
}

json::object poll_arguments(const model::Tool* tool, const json::value& answer)
{
    json::object arguments;
    const auto* members = answer.if_object();
    if (!members) return arguments;
    const json::object* properties = properties_of(tool);
    for (const auto& [name, value] : *members) {
        if (!is_id(name) || !(value.is_string() || value.is_number())) continue;
        if (!properties || properties->contains(name)) arguments[name] = value;
    }
    return arguments;
}

Millis pause_before_poll(int n)
{
    constexpr int kSeconds[] = {1, 2, 4};
    return std::chrono::seconds(n >= 1 && n <= 3 ? kSeconds[n - 1] : 5);
}

}  // namespace cadre::patterns
