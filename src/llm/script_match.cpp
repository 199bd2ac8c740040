#include "llm/script_match.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::llm {

namespace {

constexpr std::size_t kMaxHeard = 200;  // bytes of what was heard, in a message

enum class Condition { agent, nth, after_tool, contains };
constexpr Condition kConditions[] = {Condition::agent, Condition::nth, Condition::after_tool, Condition::contains};

bool is_given(Condition condition, const ScriptCondition& when)
{
    switch (condition) {
    case Condition::agent: return when.agent.has_value();
    case Condition::nth: return when.nth.has_value();
    case Condition::after_tool: return when.after_tool.has_value();
    case Condition::contains: return when.contains.has_value();
    }
    return false;
}

bool contains(const std::vector<std::string_view>& texts, std::string_view words)
{
    return std::ranges::any_of(texts, [&](std::string_view text) { return text.find(words) != text.npos; });
}

bool holds(Condition condition, const ScriptCondition& when, const ScriptFacts& facts)
{
    switch (condition) {
    case Condition::agent: return !when.agent || *when.agent == facts.agent;
    case Condition::nth: return !when.nth || *when.nth == facts.nth;
    case Condition::after_tool: return !when.after_tool || *when.after_tool == facts.after_tool;
    case Condition::contains: return !when.contains || contains(facts.heard, *when.contains);
    }
    return false;
}

std::string difference(Condition condition, const ScriptCondition& when, const ScriptFacts& facts)
{
    switch (condition) {
    case Condition::agent:
        return fmt::format("it is for agent {}, not {}", in_quotes(*when.agent), in_quotes(facts.agent));
    case Condition::nth: return fmt::format("it is for model call {}, not {}", *when.nth, facts.nth);
    case Condition::after_tool:
        return *when.after_tool ? "it is for a request with a tool's result"
                                : "it is for a request without a tool's result";
    case Condition::contains: return fmt::format("it wants {}, which was not heard", in_quotes(*when.contains));
    }
    return {};
}

std::string shown(std::string_view text)
{
    std::string out;
    append_json_string(out, utf8_prefix(text, kMaxHeard));
    if (text.size() > kMaxHeard) out.insert(out.size() - 1, "…");
    return out;
}

}  // namespace

std::string ScriptFacts::text() const
{
    std::string out = fmt::format("agent {}, model call {}, {} a tool's result", in_quotes(agent), nth,
                                  after_tool ? "with" : "without");
    for (std::size_t i = 0; i < heard.size(); ++i) out += (i == 0 ? ", hears " : " and ") + shown(heard[i]);
    return out;
}

ScriptFacts facts_of(const Request& request)
{
    ScriptFacts facts{.agent = request.agent, .nth = request.nth};
    bool answered = false;  // by the model, after what we look at
    for (auto it = request.messages.rbegin(); it != request.messages.rend(); ++it) {
        const Message& message = **it;
        if (message.role == model::Role::assistant) {
            if (!facts.heard.empty()) break;
            answered = true;
        }
        if (message.role != model::Role::user && message.role != model::Role::tool) continue;
        facts.heard.push_back(message.text);
        facts.after_tool = facts.after_tool || message.role == model::Role::tool;
        if (answered) break;
    }
    std::ranges::reverse(facts.heard);
    return facts;
}

bool matches(const ScriptCondition& when, const ScriptFacts& facts)
{
    return std::ranges::all_of(kConditions, [&](Condition condition) { return holds(condition, when, facts); });
}

ScriptDistance distance(const ScriptCondition& when, const ScriptFacts& facts)
{
    ScriptDistance out;
    for (const Condition condition : kConditions) {
        if (!is_given(condition, when)) continue;
        if (holds(condition, when, facts)) ++out.held;
        else if (out.broken++ == 0) out.first = difference(condition, when, facts);
    }
    return out;
}

}  // namespace cadre::llm
