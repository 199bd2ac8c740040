#include "engine/compare.hpp"

#include "base/json.hpp"
#include "engine/body.hpp"
#include "engine/effect.hpp"
#include "engine/performance.hpp"
#include "engine/task_state.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

/// A step with what it is compared by.
struct Found {
    std::string path{};
    std::string effect{};
    StepSide side{};
    Digest ask{};
    std::map<std::string, std::string> parts{};
    std::optional<Time> begun{};
};

/// `use` of `review/use:1.0`.
std::string_view effect_in(std::string_view path)
{
    const auto slash = path.rfind('/');
    const std::string_view own = path.substr(slash == path.npos ? 0 : slash + 1);
    return own.substr(0, own.find(':'));
}

void add_line(std::string& text, std::string_view line)
{
    if (line.empty()) return;
    if (!text.empty()) text += '\n';
    text += line;
}

std::string words_of(const model::HumanAnswer& answer)
{
    return std::string(model::participle(answer.verb)) + (answer.message.empty() ? "" : ": " + answer.message);
}

/// What came of it, in words.
std::string outcome_of(const Record& record, const Body& body)
{
    if (was_cancelled(record)) return "cancelled";
    if (const auto* error = body.find("error"); error && error->is_object())
        return "failed: " + Body(error->get_object()).text("message");
    std::string text = body.text("text");
    for (const model::ToolCall& call : body.read<std::vector<model::ToolCall>>("calls"))
        add_line(text, "calls " + call.tool_name + " " + to_text(call.args));
    if (body.has("reply")) add_line(text, body.read<model::Reply>("reply").text);
    for (const char* name : {"at", "id"}) add_line(text, body.text(name));
    if (body.has("winner")) add_line(text, std::to_string(body.number("winner")));
    return text;
}

void add(Found& step, const Record& record)
{
    const Body body(record);
    StepSide& side = step.side;
    switch (record.kind) {
    case RecordKind::intent: {
        if (!step.begun) step.begun = record.at;
        step.ask = record.ask;
        side.who = body.text("agent");
        if (body.has("call")) side.who = body.read<model::ToolCall>("call").tool_name;
        if (body.has("request")) side.who = body.read<model::HumanRequest>("request").agent;
        const auto* parts = body.find("parts");
        if (!parts || !parts->is_object()) break;
        for (const auto& [name, digest] : parts->get_object())
            if (digest.is_string()) step.parts[name] = digest.get_string();
        break;
    }
    case RecordKind::answer:
        side.text = words_of(body.read<model::HumanAnswer>("answer"));
        side.ended = true;
        if (step.begun) side.time = record.at - *step.begun;
        break;
    case RecordKind::outcome: {
        if (!step.ask) step.ask = record.ask;
        side.text = outcome_of(record, body);
        side.ended = true;
        if (side.who.empty()) side.who = body.has("tool") ? body.text("tool") : body.text("agent");
        side.time = body.has("ms") ? Millis(body.number("ms")) : record.at - step.begun.value_or(record.at);
        const auto* usage = body.find("usage");
        if (!usage || !usage->is_object()) break;
        const Body used(usage->get_object());
        side.tokens = used.number("input") + used.number("output");
        side.cost = used.decimal("cost");
        break;
    }
    default: break;
    }
}

std::vector<Found> steps_of(const std::vector<Record>& records, const TaskState& state)
{
    std::vector<Found> steps;
    std::map<std::string_view, std::size_t> places;
    for (const Record& record : records) {
        const bool is_step = record.kind == RecordKind::intent || record.kind == RecordKind::outcome ||
                             record.kind == RecordKind::answer;
        if (!is_step || record.path.empty()) continue;
        const auto [place, is_new] = places.emplace(record.path, steps.size());
        if (is_new) {
            steps.push_back({.path = record.path, .effect = std::string(effect_in(record.path))});
            steps.back().side.reused = state.is_reused(record.seq);
        }
        add(steps[place->second], record);
    }
    return steps;
}

std::vector<std::string> differences(const Found& a, const Found& b)
{
    std::vector<std::string> names;
    std::set<std::string> all;
    for (const Found* one : {&a, &b})
        for (const auto& [name, digest] : one->parts) all.insert(name);
    for (const std::string& name : all) {
        const auto in_a = a.parts.find(name), in_b = b.parts.find(name);
        if (in_a == a.parts.end() || in_b == b.parts.end() || in_a->second != in_b->second) names.push_back(name);
    }
    if (names.empty() && a.ask != b.ask) names.push_back("request");
    if (a.side.ended != b.side.ended || a.side.text != b.side.text) names.push_back("outcome");
    return names;
}

std::vector<std::string> task_differences(const TaskSpec& a, const TaskSpec& b)
{
    std::vector<std::string> names;
    if (a.description != b.description) names.emplace_back("prompt");
    if (a.agent != b.agent) names.emplace_back("agent");
    if (a.model != b.model) names.emplace_back("model");
    if (a.config != b.config) names.emplace_back("team");
    if (a.pattern != b.pattern) names.emplace_back("pattern");
    return names;
}

}  // namespace

Comparison compare(const std::vector<Record>& a, const std::vector<Record>& b)
{
    const TaskState state_a = fold(a), state_b = fold(b);
    const std::vector<Found> steps_a = steps_of(a, state_a);
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < steps_a.size(); ++i) places[steps_a[i].path] = i;
    std::vector<ComparedStep> common;
    for (const Found& step : steps_a) common.push_back({.path = step.path, .effect = step.effect, .a = step.side});

    // what only `b` has, by the number of steps of `a` that stand before it
    std::vector<std::vector<ComparedStep>> others(steps_a.size() + 1);
    std::size_t before = 0;
    for (const Found& step : steps_of(b, state_b)) {
        const auto place = places.find(step.path);
        if (place == places.end()) {
            others[before].push_back({.path = step.path, .effect = step.effect, .b = step.side});
            continue;
        }
        common[place->second].b = step.side;
        common[place->second].differs = differences(steps_a[place->second], step);
        before = place->second + 1;
    }
    Comparison out{.task = task_differences(state_a.spec, state_b.spec)};
    for (std::size_t i = 0; i <= common.size(); ++i) {
        std::ranges::move(others[i], std::back_inserter(out.steps));
        if (i < common.size()) out.steps.push_back(std::move(common[i]));
    }
    const auto first = std::ranges::find_if_not(out.steps, &ComparedStep::same);
    if (first != out.steps.end()) out.first = static_cast<std::size_t>(first - out.steps.begin());
    return out;
}

}  // namespace cadre::engine
