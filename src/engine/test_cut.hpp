// What becomes of a run whose process died after any one of its records: each time in a new world that knows nothing but the journal
// up to there.
#pragma once

#include "engine/body.hpp"
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace cadre::engine::testing {

/// A world with one pattern, one agent `worker` and one tool `pay`, which must not be called twice and says "paid N".
struct Stage : World {
    explicit Stage(std::function<Async<model::Reply>(Run&)> pattern)
    {
        pay = add_tool("pay", model::Effect::once);
        pay->takes = Millis(20);
        pay->answer = [](const tools::Call& call) {
            return tools::Result{.text = "paid " + std::to_string(call.arguments.at("n").to_number<int>())};
        };
        team = team_of({"pay"});
        patterns.add({"idle@1", [](Run& run) -> Async<model::Reply> { co_return run.reply(""); }});
        patterns.add({"play@1", std::move(pattern)});
    }

    Id play() { return begin("play@1", {.agent = "worker"}); }

    /// Until it has ended: what is not known of a call happened, and other questions are approved.
    TaskState finish(Id id)
    {
        TaskState state = rest(id);
        for (int i = 0; i < 100 && state.status == model::TaskStatus::waiting && !state.questions.empty(); ++i) {
            const OpenQuestion question = state.questions.front();
            model::HumanAnswer answer;
            if (question.request.type == model::HumanRequestType::outcome_unknown) {
                answer.verb = model::HumanVerb::happened;
                const auto& arguments = question.request.context.at("arguments").as_object();
                answer.message = "paid " + std::to_string(arguments.at("n").to_number<int>());
            }
            wait(commands->answer(kAnn, id, question.request.id, std::move(answer)));
            state = rest(id);
        }
        return state;
    }

    /// The journal of another world, up to a record.
    void adopt(const std::vector<storage::Record>& journal, std::size_t length)
    {
        new_id(random);  // that is the one of the task
        const Millis since = journal[length - 1].at - loop.clock().now();
        if (since.count() > 0) wait(sleep_for(since));  // time has not gone back
        rest(begin("idle@1", {.agent = "worker"}));     // pins the team
        std::vector<JournalEntry> entries;
        std::uint32_t events = 0;
        for (const storage::Record& record : std::span(journal).first(length)) {
            entries.push_back({.kind = record.kind,
                               .path = record.path,
                               .ask = record.ask,
                               .body = record.body,
                               .events = static_cast<int>(record.event_seq - events),
                               .at = record.at});
            events = record.event_seq;
        }
        wait(host->write_journal(std::string(kLocalTenant), journal.front().task, std::move(entries)));
        wait(host->wake(journal.front().task));
    }

    std::shared_ptr<FakeTool> pay;
};

inline std::string ending(const TaskState& state)
{
    return state.reply ? state.reply->text : "failed: " + state.error;
}

/// Keys of calls that the journal says have begun, up to a record.
inline std::set<std::string> keys_in(const std::vector<storage::Record>& journal, std::size_t length)
{
    std::set<std::string> keys;
    for (const storage::Record& record : std::span(journal).first(length))
        if (record.kind == storage::RecordKind::intent && effect_of(record) == EffectKind::use)
            keys.insert(body_of<IntentBody>(record).key.str());
    return keys;
}

/// Records by their path: who was counted, and the like.
inline std::string outcome_at(const std::vector<storage::Record>& journal, std::string_view path)
{
    for (const storage::Record& record : journal)
        if (record.kind == storage::RecordKind::outcome && record.path == path) return record.body;
    return "";
}

/// What else a stage needs: agents, what they say.
using Prepare = std::function<void(Stage&)>;

/// What is wrong with a run that goes on from the first `length` records of `journal`; empty: nothing. `same`: it ends as it did.
inline std::string problem_after(const std::function<Async<model::Reply>(Run&)>& pattern,
                                 const std::vector<storage::Record>& journal, std::size_t length, bool same,
                                 const Prepare& prepare = {})
{
    Stage world(pattern);
    if (prepare) prepare(world);
    world.adopt(journal, length);
    const Id id = journal.front().task;
    const TaskState state = world.finish(id);
    const TaskState before = fold(journal);
    if (!state.finished()) return "it does not end: " + state.pause_text;
    if (same && ending(state) != ending(before)) return ending(state) + " instead of " + ending(before);
    auto keys = keys_in(journal, length);
    for (const std::string& key : world.pay->dispatched)
        if (!keys.insert(key).second) return "a call is made twice";
    const auto records = world.records(id);
    for (const storage::Record& record : std::span(journal).first(length))
        if (effect_of(record) == EffectKind::join && outcome_at(records, record.path) != record.body)
            return "others are counted at " + record.path;
    if (const auto diverged = world.wait(world.commands->replay(kAnn, id)).diverged; !diverged.empty())
        return "its replay: " + diverged;
    return "";
}

/// Pays `n`, `steps` times, after a nap.
inline Async<std::string> pay_for(Run& run, int n, int nap_ms = 0, int steps = 1)
{
    if (nap_ms > 0) co_await run.sleep(Millis(nap_ms));
    std::string said;
    for (int i = 0; i < steps; ++i) {
        model::ToolCall call{.id = "c" + std::to_string(i), .tool_name = "pay", .args = {{"n", n}}};
        said = (co_await run.use(run.agent(), {std::move(call)}))[0].text;
    }
    co_return said;
}

template <class T>
std::string words_of(const std::vector<Settled<T>>& all)
{
    std::string words;
    for (const auto& one : all)
        words += (one.is_done() ? *one.value : one.error ? "!" + std::string(one.error->what()) : "-") + ", ";
    return words;
}

/// Every cut of what the pattern does ends well.
inline void check_cuts(const std::function<Async<model::Reply>(Run&)>& pattern, const char* says, bool same,
                       const Prepare& prepare = {})
{
    Stage world(pattern);
    if (prepare) prepare(world);
    const Id id = world.play();
    CHECK(ending(world.finish(id)) == says);
    const auto journal = world.records(id);
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        CHECK(problem_after(pattern, journal, length, same, prepare) == "");
    }
}

}  // namespace cadre::engine::testing
