#include "sim/seams.hpp"

#include "base/error.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "sim/chance.hpp"
#include "sim/structure.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <iterator>

namespace cadre::sim {

using engine::Run;

namespace {

constexpr Act kSeams[] = {Act::remember, Act::recall, Act::message, Act::save, Act::check, Act::compact};

/// So many of a kind in a row: a crash meets one of them often enough.
constexpr int kInARow = 4;

/// Each says something that no other does, so that the memory shows whether one was heard twice.
Async<std::string> play_remember(Run& run)
{
    for (int i = 0; i < kInARow; ++i) {
        const Id id = co_await run.fresh_id();
        co_await run.remember({.agent = run.agent().name, .text = "note " + to_string(id)});
    }
    co_return "remember";
}

Async<std::string> play_recall(Run& run, const PlanStep& step)
{
    const engine::Recall recall = co_await run.recall({.agent = run.agent().name, .text = "note", .limit = 3});
    std::string words;
    for (const engine::MemoryHit& hit : recall.hits) words += hit.text + ";";
    co_await tell_world(run, step, words);  // how many there are hangs on time
    co_return "recall";
}

/// One message in pieces; the first that does not leave is the last.
Async<std::string> play_message(Run& run, const PlanStep& step)
{
    const std::string channel(step.salt % 2 == 0 ? kMail : "sms");
    std::string words;
    try {
        for (int i = 1; i <= kInARow; ++i) {
            const engine::Sent sent =
                co_await run.send({.agent = run.agent().name,
                                   .channel = channel,
                                   .to = "ann",
                                   .content = fmt::format("message {} ({}/{})", step.salt, i, kInARow)});
            words += sent.id + ";";
        }
    } catch (const Error& error) {
        words += std::string("!") + error.what();
    }
    co_return words;
}

/// Twice the same file, so that versions follow each other; sometimes nothing has changed.
Async<std::string> play_save(Run& run, const PlanStep& step)
{
    std::string words;
    for (std::uint64_t i = 0; i < 2; ++i) {
        const std::string content = fmt::format("content {}", step.salt + (step.salt % 3 == 0 ? 0 : i));
        const engine::Saved saved = co_await run.save(
            {.agent = run.agent().name, .path = fmt::format("file{}.txt", step.salt % 2), .content = content});
        words += fmt::format("{} v{};", saved.artifact.path, saved.artifact.version);
    }
    co_await tell_world(run, step, words);  // of parallel writers, one is first
    co_return "save";
}

/// Policies change with time, verdicts that were given do not.
Async<std::string> play_check(Run& run, const PlanStep& step)
{
    std::string words;
    for (int i = 0; i < 2; ++i) {
        const auto verdict = co_await run.check(engine::Place::output, fmt::format("{} {}", kSuspicious, step.salt));
        // who finds nothing leaves no record, and so nothing that it is known by
        const bool passed = verdict.found_nothing();
        words += passed ? "passed;" : fmt::format("{} {};", static_cast<int>(verdict.action), verdict.policy);
        co_await tell_world(run, step, words);
        co_await run.sleep(Millis(1'000 + step.salt % 9'000));
    }
    co_return "check";
}

/// A conversation that fills its window, now and then.
Async<std::string> play_compact(Run& run, const PlanStep& step)
{
    std::string words;
    for (int i = 0; i < 4; ++i) {
        run.tell(fmt::format("{} {} {}", kLong, step.salt, i));
        if (i < 2) continue;
        try {
            words += (co_await run.think(run.agent())).text;
        } catch (const Error& error) {
            words += error.what();
        }
    }
    co_await tell_world(run, step, words);
    co_return "compact";
}

}  // namespace

PlanStep some_seam(Chance& chance)
{
    return {.act = kSeams[chance.below(std::size(kSeams))], .salt = chance.below(1'000'000)};
}

Async<std::string> play_seam(Run& run, const PlanStep& step)
{
    switch (step.act) {
    case Act::recall: return play_recall(run, step);
    case Act::message: return play_message(run, step);
    case Act::save: return play_save(run, step);
    case Act::check: return play_check(run, step);
    case Act::compact: return run.node("talk", [step](Run& inner) { return play_compact(inner, step); });
    default: return play_remember(run);
    }
}

}  // namespace cadre::sim
