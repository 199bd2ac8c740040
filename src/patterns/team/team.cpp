#include "patterns/team/team.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/mutant.hpp"
#include "engine/run.hpp"
#include "patterns/team/collaborate.hpp"
#include "patterns/team/controls.hpp"
#include "patterns/team/criteria.hpp"
#include "patterns/team/names.hpp"
#include "patterns/team/speak.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

namespace cadre::patterns {

using engine::Agent;
using engine::Run;

namespace {

/// How often a team is sent back because of its criteria.
constexpr int kMostReturns = 2;

/// What the team says, parsed, and its agents as members. Another one is made when the team is changed.
class Rules {
public:
    explicit Rules(const Run& run)
        : ways_(ways_of(run.team())), criteria_(criteria_of(run.team().execution_config)), agents_(run.agents())
    {}

    const std::vector<HandoffWay>& ways() const { return ways_; }
    const Criteria& criteria() const { return criteria_; }
    bool has_agent(std::string_view name) const { return find(name) != nullptr; }
    const Member& member(const model::Team& team, const std::string& name)
    {
        std::unique_ptr<Member>& member = members_[name];
        if (member) return *member;
        const Agent* agent = find(name);
        if (!agent) throw Error(Code::not_found, "the team has no agent " + in_quotes(name) + " any more");
        member = std::make_unique<Member>(member_of(team, ways_, *agent));
        return *member;
    }

private:
    const Agent* find(std::string_view name) const
    {
        const auto found = std::ranges::find(agents_, name, &Agent::name);
        return found == agents_.end() ? nullptr : &*found;
    }

    std::vector<HandoffWay> ways_;
    Criteria criteria_;
    const std::vector<Agent>& agents_;
    std::map<std::string, std::unique_ptr<Member>> members_;
};

/// The pattern that the task begins with; null: with an agent.
const model::CollaborationPattern* first_pattern(const Run& run)
{
    const model::Team& team = run.team();
    const auto& patterns = team.collaboration_patterns;
    std::string name = team.execution_config.pattern.value_or("");
    if (const json::value* said = run.input().if_contains("pattern"); said && said->is_string()) {
        name = std::string(said->get_string());
        if (name.empty()) return nullptr;  // an agent is to begin, whatever the team says
    }
    if (name.empty()) return patterns.size() == 1 && team.handoff_rules.empty() ? &patterns.front() : nullptr;
    const auto found = std::ranges::find(patterns, name, &model::CollaborationPattern::name);
    if (found == patterns.end())
        throw Error(Code::not_found,
                    fmt::format("the team {} has no collaboration pattern called {}", team.name, in_quotes(name)));
    return &*found;
}

std::string listed(const std::vector<std::string>& criteria)
{
    std::string all;
    for (const std::string& one : criteria) all += (all.empty() ? "" : "; ") + one;
    return all;
}

/// `again`: the one it would go to has spoken before.
[[noreturn]] void throw_too_many(const Run& run, const std::string& from, const Handoff& to, const Turn& turn,
                                 bool again)
{
    throw engine::Failed(
        Code::limit,
        again
            ? fmt::format("{} handoffs, and {} would hand over to {} again: the two find no end; say in the prompt or "
                          "in a condition when an answer is good enough",
                          kMaxHandoffs, from, to.to)
            : fmt::format("{} handoffs are the most that a task may have, and {} would hand over to {}; let fewer "
                          "agents take turns, or have them work in a collaboration pattern",
                          kMaxHandoffs, from, to.to),
        run.reply(whole_answer(turn)));
}

/// A task of a team while it runs.
class Play {
public:
    explicit Play(Run& run)
        : run_(run),
          rules_(std::make_unique<Rules>(run)),
          floor_(run),
          pattern_(first_pattern(run)),
          speaker_(run.agent().name)
    {}

    Async<model::Reply> play()
    {
        heed(co_await run_.heed_if_told());
        while (true) {
            Turn turn = co_await take_turn();
            std::optional<Handoff> next = next_of(turn);
            const Judgement judgement = co_await judged(run_, rules_->criteria(), floor_, turn, !next);
            if (!judgement.failed.empty()) {
                co_await drop_handoff(turn, "The task has failed.");
                throw engine::Failed(Code::upstream, "failure criterion met: " + listed(judgement.failed),
                                     run_.reply(whole_answer(turn)));
            }
            if (rules_->criteria().has_success() && judgement.unmet.empty()) {
                co_await drop_handoff(turn, "The task is done.");
                co_return run_.reply(whole_answer(turn));
            }

            const engine::Heard heard = co_await run_.heed_if_told();
            const bool is_told = heed(heard);
            if (!is_told && heard.is_team_changed && next && !rules_->has_agent(next->to)) {
                co_await drop_handoff(turn, "The team has changed.");
                next = next_of(turn);
            }
            if (is_told) {
                co_await drop_handoff(turn, "A person has decided otherwise.");
                next.reset();
                if (speaker_ != turn.agent) next = Handoff{.to = speaker_, .reason = "A person has decided so."};
            } else if (!next) {
                if (judgement.unmet.empty()) co_return run_.reply(whole_answer(turn));
                send_back(std::move(turn), judgement);
                continue;
            }
            if (next) co_await hand_over(turn, *next);
            floor_.add(std::move(turn));
        }
    }

private:
    Async<Turn> take_turn()
    {
        if (pattern_) {
            const model::CollaborationPattern& pattern = *pattern_;
            return run_.node(pattern.name, [&](Run& at) { return collaborate(at, pattern, floor_); });
        }
        const Member& member = rules_->member(run_.team(), speaker_);
        return run_.node(member.agent.name, [&](Run& at) {
            if (member.agent.prompt) show_state(at, member.agent.name);
            return speak(at, member, floor_);
        });
    }

    void show_state(Run& at, const std::string& agent) const
    {
        at.set_state(std::make_shared<const json::object>(floor_.state_before(agent)));
    }

    std::optional<Handoff> next_of(const Turn& turn) const
    {
        if (pattern_) return std::nullopt;
        return next_after(rules_->ways(), turn, [&] { return names_after(run_, floor_, turn); });
    }

    /// Whether people said who is next.
    bool heed(const engine::Heard& heard)
    {
        if (heard.is_team_changed) {
            rules_ = std::make_unique<Rules>(run_);
            if (!rules_->has_agent(speaker_)) speaker_ = run_.agents().front().name;
            if (pattern_) pattern_ = first_pattern(run_);
        }
        if (heard.plan) floor_.note("The plan was changed. From now on it is:\n" + to_text(*heard.plan));
        if (heard.next_agent.empty() || !rules_->has_agent(heard.next_agent)) return false;
        speaker_ = heard.next_agent;
        pattern_ = nullptr;
        return true;
    }

    /// Every call has a result, also that of a handoff which is not made.
    Async<> drop_handoff(Turn& turn, std::string why)
    {
        if (!turn.handoff) co_return;
        engine::Fact fact{.what = "no_handoff",
                          .agent = turn.agent,
                          .key = turn.handoff->to,
                          .fact = {{"call", turn.handoff->call}, {"result", std::move(why)}}};
        turn.handoff.reset();
        co_await run_.announce(std::move(fact));
    }

    Async<> hand_over(Turn& turn, Handoff next)
    {
        if (++handoffs_ > kMaxHandoffs) {
            co_await drop_handoff(turn, "There were too many handoffs.");
            throw_too_many(run_, turn.agent, next, turn, floor_.has_heard(next.to));
        }
        speaker_ = next.to;
        turn.handoff = next;
        if (!is_mutant(Mutant::handoff_not_recorded)) co_await announce_handoff(run_, turn.agent, std::move(next));
    }

    /// The first agent, or the pattern that the task began with, hears what is missing.
    void send_back(Turn turn, const Judgement& judgement)
    {
        if (++returns_ > kMostReturns)
            throw engine::Failed(Code::upstream, "success criteria not met: " + listed(judgement.unmet),
                                 run_.reply(whole_answer(turn)));
        floor_.add(std::move(turn));
        floor_.note("The answer does not meet these criteria yet: " + listed(judgement.unmet) +
                    (judgement.reason.empty() ? "" : "\n" + judgement.reason));
        speaker_ = run_.agent().name;
        handoffs_ = 0;
    }

    Run& run_;
    std::unique_ptr<Rules> rules_;
    Floor floor_;
    const model::CollaborationPattern* pattern_;
    std::string speaker_;
    int handoffs_ = 0;
    int returns_ = 0;
};

/// One that works for another agent.
Async<model::Reply> work_below(Run& run)
{
    const Member member = member_of(run.team(), ways_of(run.team()), run.agent(), Reach::below);
    const Floor floor(run);
    co_return run.reply((co_await speak(run, member, floor)).text);
}

}  // namespace

Async<model::Reply> team(Run& run)
{
    if (run.input().contains("below")) co_return co_await work_below(run);
    Play play(run);
    co_return co_await play.play();
}

}  // namespace cadre::patterns
