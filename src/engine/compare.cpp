#include "engine/compare.hpp"

#include "base/json.hpp"
#include "engine/body.hpp"
#include "engine/effect_path.hpp"
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

void add_line(std::string& text, std::string_view line)
{
    if (line.empty()) return;
    if (!text.empty()) text += '\n';
    text += line;
}

std::string short_answer(const model::HumanAnswer& answer)
{
    return std::string(model::participle(answer.verb)) + (answer.message.empty() ? "" : ": " + answer.message);
}

/// Who does it.
struct Who {
    std::string operator()(const ThinkIntent& think) const { return think.agent.str(); }
    std::string operator()(const UseIntent& use) const { return use.call.get().tool_name; }
    std::string operator()(const AskIntent& ask) const { return ask.request.get().agent; }
    std::string operator()(const DelegateIntent& delegate) const { return delegate.agent.str(); }
    std::string operator()(const SleepIntent&) const { return ""; }
    template <AnyOf<RecallIntent, RememberIntent, SaveIntent, CheckIntent, SendIntent, NowIntent, FreshIdIntent,
                    FirstIntent, JoinIntent, AnnounceIntent, HeedIntent, RouteIntent, CompactIntent, NewerIntent>
                  Other>
    std::string operator()(const Other& other) const
    {
        return other.agent.str();
    }

    std::string operator()(const ThinkOutcome& think) const { return think.agent.str(); }
    std::string operator()(const UseOutcome& use) const { return use.tool.str(); }
    template <AnyOf<AskOutcome, DelegateOutcome, RecallOutcome, RememberOutcome, SaveOutcome, CheckOutcome, SendOutcome,
                    SleepOutcome, NowOutcome, FreshIdOutcome, FirstOutcome, JoinOutcome, AnnounceOutcome, HeedOutcome,
                    RouteOutcome, CompactOutcome, NewerOutcome>
                  Other>
    std::string operator()(const Other&) const
    {
        return "";
    }
};

/// What came of it, in words.
struct OutcomeWords {
    std::string operator()(const ThinkOutcome& think) const
    {
        std::string text = think.text.str();
        for (const model::ToolCall& call : think.calls.get())
            add_line(text, "calls " + call.tool_name + " " + to_text(call.args));
        return text;
    }
    std::string operator()(const DelegateOutcome& delegate) const { return delegate.reply.get().text; }
    std::string operator()(const NowOutcome& now) const { return now.at.is_set() ? to_iso(now.at.get()) : ""; }
    std::string operator()(const FreshIdOutcome& fresh) const { return fresh.id.str(); }
    std::string operator()(const FirstOutcome& first) const
    {
        return first.winner ? std::to_string(*first.winner) : "";
    }
    std::string operator()(const RecallOutcome& recall) const
    {
        std::string text;
        for (const MemoryHit& hit : recall.hits.get()) add_line(text, hit.text);
        return text;
    }
    std::string operator()(const RememberOutcome& remember) const { return remember.id.str(); }
    std::string operator()(const SaveOutcome& save) const
    {
        const SavedVersion artifact = save.artifact.get();
        return artifact.path + " " + artifact.sha256;
    }
    std::string operator()(const RouteOutcome& route) const
    {
        std::string text;
        for (const std::string& target : route.decision.get().targets) add_line(text, target);
        return text;
    }
    std::string operator()(const CompactOutcome& compact) const { return compact.summary.str(); }
    template <AnyOf<UseOutcome, CheckOutcome, SendOutcome, NewerOutcome> Other>
    std::string operator()(const Other& other) const
    {
        return other.text.str();
    }
    std::string operator()(const JoinOutcome& join) const
    {
        std::string text;
        for (const std::uint32_t winner : join.winners.get())
            text += (text.empty() ? "" : ", ") + std::to_string(winner);
        return text;
    }
    std::string operator()(const AnnounceOutcome& announced) const
    {
        return announced.what.str() + (announced.fact.is_set() ? " " + std::string(announced.fact.text) : "");
    }
    template <AnyOf<AskOutcome, SleepOutcome, HeedOutcome> Other>
    std::string operator()(const Other&) const
    {
        return "";
    }
};

/// The step with one record more.
struct Add {
    Found& step;
    const Record& record;

    void operator()(const IntentBody& intent) const
    {
        if (!step.begun) step.begun = record.at;
        step.ask = record.ask;
        step.side.who = std::visit(Who(), intent.of);
        const json::value parts = json_in(intent.parts.text, record);
        if (!parts.is_object()) return;
        for (const auto& [name, digest] : parts.get_object())
            if (digest.is_string()) step.parts[name] = digest.get_string();
    }
    void operator()(const AnswerBody& given) const
    {
        step.side.text = short_answer(given.answer.get());
        step.side.ended = true;
        if (step.begun) step.side.time = record.at - *step.begun;
    }
    void operator()(const OutcomeBody& outcome) const
    {
        StepSide& side = step.side;
        if (!step.ask) step.ask = record.ask;
        if (outcome.cancelled) side.text = "cancelled";
        else if (const auto error = outcome.error.find()) side.text = "failed: " + error->message;
        else side.text = std::visit(OutcomeWords(), outcome.of);
        side.ended = true;
        if (side.who.empty()) side.who = std::visit(Who(), outcome.of);
        side.time = time_of(outcome.of).value_or(record.at - step.begun.value_or(record.at));
        const auto usage = usage_of(outcome.of).find();
        if (!usage) return;
        side.tokens = usage->input + usage->output;
        side.cost = usage->cost;
    }
    template <AnyOf<CreatedBody, StartedBody, UnknownBody, NodeDoneBody, InstructionBody, CancelBody, PauseBody,
                    ResumeBody, SettingBody, LateResultBody, NoteBody, CompletedBody, FailedBody, CancelledBody,
                    AttemptFailedBody, UpkeepBody, NewerBody>
                  Other>
    void operator()(const Other&) const
    {}
};

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
        Body(record).visit(Add{steps[place->second], record});
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
