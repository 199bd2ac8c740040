// Thousands of small worlds. By hand, CADRE_SEEDS=N runs N of them, CADRE_SEED=n one and tells its story.
#include "base/mutant.hpp"
#include "sim/simulation.hpp"
#include "support/skip.hpp"
#include "support/source.hpp"

#include <doctest/doctest.h>
#include <fmt/core.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>

using namespace cadre;
using namespace cadre::sim;

namespace {

struct Failure {
    std::uint64_t seed = 0;
    std::string text{};
};

/// What many seeds came to.
struct Campaign {
    std::mutex mutex{};
    Counts counts{};
    std::vector<Failure> failures{};
};

std::string tell(const Simulation& simulation)
{
    std::string text;
    std::set<Id> told;
    for (const Violation& violation : simulation.violations()) {
        text += violation.text + '\n';
        if (!violation.task)
            for (const Subject& subject : simulation.subjects())
                if (told.insert(subject.id).second) text += to_string(subject.id) + '\n' + simulation.story(subject.id);
        if (violation.task && told.insert(*violation.task).second)
            text += to_string(*violation.task) + '\n' + simulation.story(*violation.task);
        for (const Subject& subject : simulation.subjects())
            if (subject.parent && told.contains(simulation.subjects()[*subject.parent].id) &&
                told.insert(subject.id).second)
                text += "delegated: " + to_string(subject.id) + '\n' + simulation.story(subject.id);
    }
    return text;
}

/// Empty: all is well.
std::string problem_with(std::uint64_t seed, Counts* counts, bool twice)
{
    Simulation simulation(seed, {});
    simulation.run();
    if (counts)
        for (const auto& [what, times] : simulation.counts()) (*counts)[what] += times;
    if (!simulation.violations().empty()) return tell(simulation);
    if (twice) {
        Simulation again(seed, {});
        again.run();
        if (again.trace() != simulation.trace()) return "the same seed gave another history\n";
    }
    Simulation calm(seed, {.calm = true});
    calm.run();
    if (!calm.violations().empty()) return "without faults: " + tell(calm);
    for (std::size_t i = 0; i < calm.subjects().size(); ++i) {
        const Subject& without = calm.subjects()[i];
        if (without.parent) break;  // delegated: the answers of those above have theirs
        const Subject& with = simulation.subjects()[i];
        if (!with.comparable || !without.comparable) continue;
        const auto text = [](const Subject& subject) {
            return subject.state.reply ? subject.state.reply->text : subject.state.error;
        };
        if (with.state.status != without.state.status || text(with) != text(without))
            return fmt::format("the answer differs from that without faults: {} ≠ {}\n{}without faults:\n{}",
                               text(with), text(without), simulation.story(with.id), calm.story(without.id));
    }
    return {};
}

std::uint64_t number_from(const char* variable, std::uint64_t otherwise)
{
    const char* text = std::getenv(variable);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// The seed that was asked for, if one was.
const char* const kOnlySeed = std::getenv("CADRE_SEED");

void skip_others()
{
    test::skip(fmt::format("only seed {} was asked for", kOnlySeed));
}

#ifdef CADRE_MUTANTS
constexpr std::uint64_t kSeeds = 300;  // builds that are slow have the mutants to run, too
#else
constexpr std::uint64_t kSeeds = 10'000;
#endif

void run_seeds(Campaign& campaign, const std::vector<std::uint64_t>& seeds)
{
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        Counts counts;
        for (std::size_t i = next++; i < seeds.size(); i = next++) {
            std::string problem = problem_with(seeds[i], &counts, seeds[i] % 50 == 0);
            if (problem.empty()) continue;
            const std::lock_guard lock(campaign.mutex);
            campaign.failures.push_back({seeds[i], std::move(problem)});
            if (campaign.failures.size() >= 5) next = seeds.size();
        }
        const std::lock_guard lock(campaign.mutex);
        for (const auto& [what, times] : counts) campaign.counts[what] += times;
    };
    std::thread other(work);
    work();
    other.join();
}

void show(const Campaign& campaign)
{
    for (const Failure& failure : campaign.failures) {
        fmt::print("seed {} (again: CADRE_SEED={} sim_test)\n{}\n", failure.seed, failure.seed, failure.text);
        FAIL_CHECK("seed " << failure.seed << ": " << failure.text.substr(0, failure.text.find('\n')));
    }
    CHECK(campaign.failures.empty());
}

/// What a run of many seeds must have met: a name that is missing says that the workload is too weak to prove anything.
constexpr const char* kSometimes[] = {
    "acknowledged answer",
    "acknowledged cancel",
    "acknowledged created",
    "acknowledged instruction",
    "acknowledged pause",
    "acknowledged setting",
    "acknowledged started",
    "ambiguous commit",
    "another tenant saw nothing",
    "another version",
    "answer raced",
    "append refused",
    "attempt failed",
    "cancelled before its start",
    "changed a plan",
    "compaction recorded",
    "crash",
    "died after_dispatch",
    "died after_intent",
    "died after_outcome",
    "died before_dispatch",
    "delegated",
    "dispatched again",
    "drained",
    "effect cancelled",
    "ended cancelled",
    "ended completed",
    "froze before_dispatch",
    "fsync error",
    "heard a change",
    "join recorded",
    "late answer refused",
    "late result",
    "looked inside",
    "message sent",
    "next agent chosen",
    "outcome unknown",
    "paused for breakpoint",
    "paused for budget",
    "paused for diverged",
    "paused for step_mode",
    "paused for user_request",
    "parked by hand",
    "plan edit heard",
    "plan edit refused",
    "plan edited",
    "question timed out",
    "queued turn began",
    "queued turn waits",
    "race recorded",
    "read failed",
    "remembered",
    "remembered again",
    "repeated think",
    "repeated use",
    "several questions open",
    "spent a budget from above",
    "spent by a child",
    "started by hand",
    "team agreed",
    "team delegated",
    "team handed over",
    "team passed a sync point",
    "team voted abstain",
    "team voted approve",
    "team voted reject",
    "unacknowledged record kept",
    "unacknowledged record lost",
    "verdict recorded",
    "woke up late",
    "worked beside a question",
    "zombie dispatched",
    "zombie fenced",
};
constexpr std::uint64_t kEnough = 5'000;     // seeds, to meet all of it
constexpr std::uint64_t kLeastCrashes = 20;  // at each crash point

std::vector<std::uint64_t> kept_seeds()
{
    std::ifstream file(test::source_folder() / "tests/sim/seeds.txt");
    std::vector<std::uint64_t> seeds;
    for (std::string line; std::getline(file, line);)
        if (!line.empty() && line[0] != '#') seeds.push_back(std::strtoull(line.c_str(), nullptr, 10));
    return seeds;
}

}  // namespace

TEST_CASE("seeds that once broke a promise keep it")
{
    if (kOnlySeed) return skip_others();
    const auto seeds = kept_seeds();
    REQUIRE_FALSE(seeds.empty());
    Campaign campaign;
    run_seeds(campaign, seeds);
    show(campaign);
}

TEST_CASE("thousands of seeds break no promise")
{
    const std::uint64_t count = number_from("CADRE_SEEDS", kSeeds);
    std::vector<std::uint64_t> seeds;
    if (kOnlySeed) seeds = {number_from("CADRE_SEED", 0)};
    else
        for (std::uint64_t seed = 1; seed <= count; ++seed) seeds.push_back(seed);
    Campaign campaign;
    run_seeds(campaign, seeds);
    show(campaign);
    if (std::getenv("CADRE_COUNTS"))
        for (const auto& [what, times] : campaign.counts) fmt::print("{:10} {}\n", times, what);
    if constexpr (kSeeds >= kEnough) {  // a build that runs fewer has no such part
        if (seeds.size() < kEnough) return test::skip("asked for too few seeds to meet everything");  // by hand
        REQUIRE(campaign.failures.empty());  // else the rest did not run
        for (const std::string what : kSometimes) {
            CAPTURE(what);
            CHECK(campaign.counts[what] >= (what.starts_with("died ") ? kLeastCrashes : 1));
        }
    }
}

#ifdef CADRE_MUTANTS
TEST_CASE("every planted fault is seen within 200 seeds")
{
    if (kOnlySeed) return skip_others();
    struct {
        Mutant mutant;
        std::string name;  // a pointer would be logged as one
    } const mutants[] = {
        {Mutant::redo_unresolved_intent, "a once call without outcome is dispatched again"},
        {Mutant::dispatch_before_durable, "an effect leaves before its intent is on the disk"},
        {Mutant::ack_before_durable, "inputs and tasks are acknowledged before they are on the disk"},
        {Mutant::no_replay_gate, "live effects begin while others still replay"},
        {Mutant::sibling_cancel_not_recorded, "what is cancelled in flight is not recorded"},
        {Mutant::join_reports_cancellation, "a join's failure is the cancellation of a sibling"},
        {Mutant::park_before_durable, "a run is put away before its records are on the disk"},
        {Mutant::second_answer_accepted, "a second answer is accepted"},
        {Mutant::timer_lost_on_restart, "a sleep begins again after a restart"},
        {Mutant::budget_at_outcome, "spending is counted when it has happened"},
        {Mutant::cancel_ignored_by_new_intents, "a run continues after its cancel"},
        {Mutant::lost_wake_up, "an answer does not wake its effect"},
        {Mutant::event_dropped, "a public event is not counted"},
        {Mutant::new_key_on_redispatch, "a repeated dispatch carries another key"},
        {Mutant::unused_records_ignored, "a run continues although its journal holds more"},
        {Mutant::stale_epoch_accepted, "the store takes records of a former owner"},
        {Mutant::other_tenants_seen, "whose a task is, is not looked at"},
        {Mutant::winners_not_recorded, "who was counted at a join is not recorded"},
        {Mutant::loser_not_cancelled, "a branch that has lost is not cancelled"},
        {Mutant::cancelled_at_once_in_replay, "a replay ends branches before they have used their records"},
        {Mutant::seat_taken_in_replay, "a replay gives seats to others than had them"},
        {Mutant::merged_in_finish_order, "results stand in the order in which they came"},
        {Mutant::child_spending_not_counted, "a restart forgets what delegated tasks have spent"},
        {Mutant::heed_skipped_when_empty, "that nothing was changed is not recorded"},
        {Mutant::verdict_taken_again, "a check that is on record is made again"},
        {Mutant::compaction_decided_again, "whether a conversation is too long is decided again"},
        {Mutant::remembered_twice, "what a crash left unrecorded is remembered under another id"},
        {Mutant::artifact_before_blob, "a file is on record before its content is kept"},
        {Mutant::sent_twice, "channels that take no key are treated like those that do"},
        {Mutant::queued_turn_lost, "a turn that has ended does not begin the one that waits for it"},
        {Mutant::handoff_not_recorded, "who speaks next in a team is not recorded"},
        {Mutant::vote_counted_twice, "the first vote of a round counts again"},
        {Mutant::sync_point_passed_early, "whoever arrives at a sync point does not wait for the last one"},
        {Mutant::plan_edit_lost, "an edited plan is heard, and the old one is worked on"},
        {Mutant::running_item_removed, "an edit of a plan may take away what is at work"},
    };
    const char* const only = std::getenv("CADRE_MUTANT");  // by hand: those whose name contains it
    const std::uint64_t first = number_from("CADRE_FROM", 1);
    for (const auto& [mutant, name] : mutants) {
        if (only && name.find(only) == name.npos) continue;
        CAPTURE(name);
        active_mutant = mutant;
        std::uint64_t seed = first - 1;
        std::string problem;
        while (problem.empty() && seed < first + 199) problem = problem_with(++seed, nullptr, false);
        active_mutant = Mutant::none;
        CHECK_FALSE(problem.empty());
        if (std::getenv("CADRE_COUNTS"))
            fmt::print("seed {:3}: {}: {}\n", seed, name, problem.substr(0, problem.find('\n')));
    }
}
#endif
