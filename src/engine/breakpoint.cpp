#include "engine/breakpoint.hpp"

#include "base/error.hpp"
#include "base/trim.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace cadre::engine {
namespace {

using Type = Breakpoint::Type;

constexpr std::array<std::pair<std::string_view, Type>, 4> kTypes{
    {{"agent", Type::agent}, {"tool", Type::tool}, {"node", Type::node}, {"condition", Type::condition}}};

/// Longer ones first: `>=` also begins with `>`.
constexpr std::string_view kSigns[] = {">=", "<=", "==", ">", "<"};

struct Measure {
    std::string_view name;
    double (*of)(const TaskState& task);
};
constexpr Measure kMeasures[] = {
    {"tokens", [](const TaskState& task) { return static_cast<double>(task.usage.input + task.usage.output); }},
    {"steps", [](const TaskState& task) { return static_cast<double>(task.steps); }},
    {"calls", [](const TaskState& task) { return static_cast<double>(task.calls); }},
    {"cost", [](const TaskState& task) { return task.usage.cost; }},
};

[[noreturn]] void refuse_breakpoint(std::string_view text)
{
    throw Error(Code::invalid, in_quotes(text) + " is not a breakpoint; there are agent:NAME, tool:NAME, node:NAME and "
                                                 "condition:MEASURE > NUMBER, with tokens, steps, calls or cost "
                                                 "measured and >, >=, <, <= or == between them");
}

std::optional<Breakpoint> condition_from(std::string_view text)
{
    for (const std::string_view sign : kSigns) {
        const auto place = text.find(sign);
        if (place == text.npos) continue;
        Breakpoint found{.type = Type::condition,
                         .name = std::string(trimmed(text.substr(0, place), " ")),
                         .sign = sign,
                         .limit = 0};
        const std::string_view number = trimmed(text.substr(place + sign.size()), " ");
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), found.limit);
        if (error != std::errc{} || end != number.data() + number.size()) return std::nullopt;
        if (std::ranges::find(kMeasures, found.name, &Measure::name) == std::end(kMeasures)) return std::nullopt;
        return found;
    }
    return std::nullopt;
}

bool holds(const Breakpoint& condition, const TaskState& task)
{
    const auto measure = std::ranges::find(kMeasures, condition.name, &Measure::name);
    const double value = measure->of(task);
    if (condition.sign == ">=") return value >= condition.limit;
    if (condition.sign == "<=") return value <= condition.limit;
    if (condition.sign == "==") return value == condition.limit;
    return condition.sign == ">" ? value > condition.limit : value < condition.limit;
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
    if (auto condition = condition_from(rest)) return std::move(*condition);
    refuse_breakpoint(text);
}

std::string spelling(const Breakpoint& breakpoint)
{
    const auto type = std::ranges::find(kTypes, breakpoint.type, &std::pair<std::string_view, Type>::second);
    std::string text = std::string(type->first) + ':' + breakpoint.name;
    if (breakpoint.type != Type::condition) return text;
    std::array<char, 32> number{};
    const auto end = std::to_chars(number.data(), number.data() + number.size(), breakpoint.limit).ptr;
    return text + ' ' + std::string(breakpoint.sign) + ' ' + std::string(number.data(), end);
}

std::string stop_of(std::string_view breakpoint, const Effect& effect, const TaskState& task)
{
    const Breakpoint wanted = breakpoint_from(breakpoint);
    const EffectKind kind = effect.ask.kind();
    switch (wanted.type) {
    case Type::agent: return kind == EffectKind::think && effect.agent == wanted.name ? effect.path : "";
    case Type::tool: return kind == EffectKind::use && effect.tool == wanted.name ? effect.path : "";
    case Type::node: return node_in(effect.path, wanted.name);
    case Type::condition: break;
    }
    return holds(wanted, task) ? std::string(breakpoint) : "";
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
