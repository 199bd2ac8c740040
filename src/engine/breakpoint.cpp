#include "engine/breakpoint.hpp"

#include "base/error.hpp"
#include "base/trim.hpp"
#include "text/template_names.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace cadre::engine {
namespace {

using Type = Breakpoint::Type;

constexpr std::array<std::pair<std::string_view, Type>, 4> kTypes{
    {{"agent", Type::agent}, {"tool", Type::tool}, {"node", Type::node}, {"condition", Type::condition}}};

[[noreturn]] void refuse_breakpoint(std::string_view text, const std::string& why = "")
{
    throw Error(Code::invalid, in_quotes(text) + " is not a breakpoint" + why +
                                   "; there are agent:NAME, tool:NAME, node:NAME and condition:EXPRESSION, like "
                                   "condition:tokens > 1000, over tokens, steps, calls and cost");
}

text::Expression condition_in(std::string_view whole, std::string_view expression)
{
    try {
        auto parsed = text::Expression::parse(expression);
        text::expect_known(parsed, text::breakpoint_names());
        return parsed;
    } catch (const text::TemplateError& error) {
        refuse_breakpoint(whole,
                          fmt::format(": character {} of its condition: {}", error.place().column, error.reason()));
    }
}

/// What cannot be worked out, as a division by calls that were not made yet, does not hold.
bool holds(const std::string& condition, const TaskState& task)
{
    text::Scope scope;
    scope.set("tokens", task.usage.input + task.usage.output)
        .set("steps", task.steps)
        .set("calls", task.calls)
        .set("cost", task.usage.cost);
    try {
        return text::Expression::parse(condition).truth(scope);
    } catch (const text::TemplateError&) {
        return false;
    }
}

/// Whether `path` lies in a node called `name`: then the path of that node, with the number of the visit.
std::string node_in(std::string_view path, std::string_view name)
{
    std::size_t start = 0;
    for (auto slash = path.find('/'); slash != path.npos; start = slash + 1, slash = path.find('/', start))
        if (path.substr(start, slash - start) == name) {
            const auto next = path.find('/', slash + 1);
            const std::string_view visit = path.substr(slash + 1, next == path.npos ? 0 : next - slash - 1);
            const bool again = !visit.empty() && visit.find_first_not_of("0123456789") == visit.npos;
            return std::string(path.substr(0, again ? next : slash));
        }
    return {};
}

}  // namespace

Breakpoint breakpoint_from(std::string_view text)
{
    const auto colon = text.find(':');
    const auto type = std::ranges::find(kTypes, text.substr(0, colon), &std::pair<std::string_view, Type>::first);
    const std::string_view rest = colon == text.npos ? "" : trimmed(text.substr(colon + 1), " ");
    if (type == kTypes.end() || rest.empty()) refuse_breakpoint(text);
    if (type->second != Type::condition) return {.type = type->second, .name = std::string(rest)};
    return {.type = Type::condition, .name = condition_in(text, rest).spelling()};
}

std::string spelling(const Breakpoint& breakpoint)
{
    const auto type = std::ranges::find(kTypes, breakpoint.type, &std::pair<std::string_view, Type>::second);
    return std::string(type->first) + ':' + breakpoint.name;
}

std::string stop_of(std::string_view breakpoint, const Effect& effect, const TaskState& task)
{
    constexpr std::string_view kCondition = "condition:";
    if (breakpoint.starts_with(kCondition))  // it was looked at when it was set, maybe by another release
        return holds(std::string(breakpoint.substr(kCondition.size())), task) ? std::string(breakpoint) : "";
    const Breakpoint wanted = breakpoint_from(breakpoint);
    const EffectKind kind = effect.ask.kind();
    switch (wanted.type) {
    case Type::agent: return kind == EffectKind::think && effect.agent == wanted.name ? effect.path : "";
    case Type::tool: return kind == EffectKind::use && effect.tool == wanted.name ? effect.path : "";
    case Type::node: return node_in(effect.path, wanted.name);
    case Type::condition: break;
    }
    return {};
}

std::vector<std::string> changed(std::vector<std::string> now, const BreakpointChange& change)
{
    if (change.clear) now.clear();
    for (const std::string& text : change.remove) {
        const std::string wanted = spelling(breakpoint_from(text));
        if (std::erase(now, wanted) > 0) continue;
        std::string there;
        for (const std::string& one : now) there += (there.empty() ? "" : ", ") + one;
        throw Error(Code::not_found,
                    "there is no breakpoint " + wanted + (there.empty() ? ", nor any other" : "; there are: " + there));
    }
    for (const std::string& text : change.add) {
        std::string wanted = spelling(breakpoint_from(text));
        if (std::ranges::find(now, wanted) == now.end()) now.push_back(std::move(wanted));
    }
    return now;
}

}  // namespace cadre::engine
