#include "sim/team_checker.hpp"

#include "base/json.hpp"
#include "engine/body.hpp"
#include "engine/effect_path.hpp"
#include "engine/plan_edit.hpp"
#include "engine/plan_view.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace cadre::sim {

using engine::body_of;
using storage::Record;
using storage::RecordKind;

namespace {

/// What a run announced.
struct Told {
    std::uint32_t seq = 0;
    std::string path{};
    std::string what{};
    std::string agent{};
    std::string key{};
    boost::json::object fact{};
    boost::json::array events{};
};

std::optional<Told> told_in(const Record& record)
{
    if (record.kind != RecordKind::outcome) return {};
    const auto body = body_of<engine::OutcomeBody>(record);
    const auto* announce = std::get_if<engine::AnnounceOutcome>(&body.of);
    if (!announce || body.cancelled || body.error.find()) return {};
    Told told{.seq = record.seq,
              .path = record.path,
              .what = announce->what.str(),
              .agent = announce->agent.str(),
              .key = announce->key.str()};
    if (announce->fact.is_set()) told.fact = parse_json(announce->fact.text).as_object();
    if (announce->events.is_set()) told.events = announce->events.as_json().as_array();
    return told;
}

std::string text_in(const boost::json::object& object, std::string_view name)
{
    const auto* text = object.if_contains(name);
    return text && text->is_string() ? std::string(text->get_string()) : "";
}

/// `ada/2` of `ada/2/think:1`: the node at the top that a path is, or lies in. Empty: none.
std::string top_node(std::string_view path)
{
    std::size_t end = path.find('/');
    if (end == path.npos) end = path.size();
    if (path.substr(0, end).find(':') != path.npos) return "";  // an effect
    const std::size_t next = std::min(path.find('/', end + 1), path.size());
    if (end < path.size() && engine::is_number(path.substr(end + 1, next - end - 1))) end = next;
    return std::string(path.substr(0, end));
}

class TeamCheck {
public:
    TeamCheck(Simulation& simulation, const Subject& subject, std::span<const Record> records)
        : simulation_(simulation), subject_(subject), task_(team_task(subject.team, subject.plan)), records_(records)
    {
        for (const Record& record : records_) {
            if (auto told = told_in(record)) told_.push_back(std::move(*told));
            is_completed_ = is_completed_ || record.kind == RecordKind::completed;
            is_failed_ = is_failed_ || record.kind == RecordKind::failed;
        }
    }

    void run()
    {
        if (subject_.team == TeamKind::plan) return plans();
        handoffs();
        errands();
        if (task_.team.collaboration_patterns.empty()) return;
        const model::CollaborationPattern& pattern = task_.team.collaboration_patterns.front();
        if (pattern.type == model::PatternType::consensus) votes(pattern);
        if (pattern.type == model::PatternType::parallel) sync_points(pattern);
    }

private:
    template <class... Args>
    void broken(fmt::format_string<Args...> format, Args&&... args)
    {
        simulation_.report(fmt::format(format, std::forward<Args>(args)...), subject_.id);
    }

    // ---- handoffs: each happens once, and to whom it names ----

    /// The turn that has ended last.
    struct Ended {
        std::string agent{};
        std::string call{};  // of its handoff
        std::string to{};
        int answers = 0;  // to that call
        const Told* handoff = nullptr;
    };

    void handoffs()
    {
        std::set<std::string> turns;
        Ended last;
        auto told = told_.begin();
        for (const Record& record : records_) {
            for (; told != told_.end() && told->seq <= record.seq; ++told)
                if (told->path.find('/') == std::string::npos) take(last, *told);
            const std::string node = top_node(record.path);
            if (node.empty()) continue;
            if (turns.insert(node).second) begin_turn(last, node, record);
            if (record.kind == RecordKind::node_done && record.path == node) last = end_turn(record);
        }
        if (is_completed_) expect_answered(last);
    }

    void take(Ended& last, const Told& told)
    {
        if (told.what != "handoff" && told.what != "no_handoff") return;
        const std::string call = text_in(told.fact, "call");
        if (!call.empty() && call != last.call)
            broken("team: record {}: {} answers a call that the turn before it did not make", told.seq, told.what);
        if (!call.empty() && ++last.answers > 1)
            broken("team: record {}: the call {} of {} is answered again", told.seq, call, last.agent);
        if (told.what == "no_handoff") return;
        if (last.handoff) broken("team: record {}: {} hands over for the second time", told.seq, told.agent);
        if (told.agent != last.agent)
            broken("team: record {}: {} hands over, but it was {}'s turn", told.seq, told.agent, last.agent);
        if (!call.empty() && told.key != last.to)
            broken("team: record {}: it is handed over to {}, called was {}", told.seq, told.key, last.to);
        last.handoff = &told;
        simulation_.count("team handed over");
    }

    void begin_turn(const Ended& last, const std::string& node, const Record& record)
    {
        const std::string agent = node.substr(0, node.find('/'));
        if (last.agent.empty()) return;
        expect_answered(last);
        const std::string expected = last.handoff ? last.handoff->key : last.agent;
        if (agent != expected)
            broken("team: record {}: the turn is {}'s, it should be that of {}", record.seq, agent, expected);
    }

    void expect_answered(const Ended& last)
    {
        if (!last.call.empty() && last.answers != 1)
            broken("team: the handoff of {} to {} is on record {} times", last.agent, last.to, last.answers);
    }

    static Ended end_turn(const Record& record)
    {
        const auto turn = parse_json(record.body).as_object();
        Ended ended{.agent = text_in(turn, "agent")};
        if (const auto* handoff = turn.if_contains("handoff"); handoff && handoff->is_object()) {
            ended.call = text_in(handoff->get_object(), "call");
            ended.to = text_in(handoff->get_object(), "to");
        }
        return ended;
    }

    /// One who waits has the agent work that it named, as a task below.
    void errands()
    {
        for (const Told& told : told_) {
            const bool waits = told.what == "handoff" && !told.fact.contains("result");
            if (!waits || told.path.find("branch:") == std::string::npos) continue;
            const std::string path = std::string(engine::outside(told.path)) + "/delegate:1";
            const auto begun = std::ranges::find_if(records_, [&](const Record& record) {
                return record.kind == RecordKind::intent && record.path == path;
            });
            if (begun == records_.end()) continue;
            const auto intent = body_of<engine::IntentBody>(*begun);
            const std::string agent = engine::own_of<engine::DelegateIntent>(intent, *begun).agent.str();
            if (agent != told.key || begun->seq < told.seq)
                broken("team: record {}: {} was to work on it, and {} does", begun->seq, told.key, agent);
            simulation_.count("team delegated");
        }
    }

    // ---- votes: each counts once, and what is decided follows from them ----

    enum class Result { open, accepted, rejected, tie };

    static Result result_of(const boost::json::object& config, const std::map<std::string, std::string>& votes)
    {
        const auto weight_of = [&](const std::string& agent) {
            const auto* weights = config.if_contains("weights");
            const auto* weight = weights ? weights->as_object().if_contains(agent) : nullptr;
            return weight ? weight->to_number<double>() : 1.0;
        };
        double all = 0, yes = 0, no = 0;  // halves and small numbers, so that sums are exact
        for (const auto& [agent, vote] : votes) {
            all += weight_of(agent);
            if (vote == "approve") yes += weight_of(agent);
            if (vote == "reject") no += weight_of(agent);
        }
        if (2 * (yes + no) <= all) return Result::open;
        if (text_in(config, "rule") == "unanimous") return no > 0 ? Result::rejected : Result::accepted;
        return yes > no ? Result::accepted : yes < no ? Result::rejected : Result::tie;
    }

    bool is_approved_between(std::uint32_t from, std::uint32_t to) const
    {
        return std::ranges::any_of(records_, [&](const Record& record) {
            return record.kind == RecordKind::node_done && record.seq > from && record.seq < to &&
                   record.body.find(R"("approves":true)") != record.body.npos;
        });
    }

    void votes(const model::CollaborationPattern& pattern)
    {
        struct Proposal {
            std::map<std::string, std::string> votes{};
            std::uint32_t last = 0;  // vote, by record
            const Told* reached = nullptr;
        };
        std::map<std::string, Proposal> proposals;
        for (const Told& told : told_) {
            Proposal& proposal = proposals[told.key];
            if (told.what == "consensus_vote") {
                const std::string vote = text_in(told.events.at(0).as_object(), "vote");
                if (!proposal.votes.emplace(told.agent, vote).second)
                    broken("team: record {}: {} votes for the second time on {}", told.seq, told.agent, told.key);
                if (proposal.reached) broken("team: record {}: a vote after the decision", told.seq);
                proposal.last = told.seq;
                simulation_.count("team voted " + vote);
            }
            if (told.what != "consensus_reached") continue;
            if (proposal.reached) broken("team: record {}: {} is decided again", told.seq, told.key);
            proposal.reached = &told;
            simulation_.count("team agreed");
        }
        for (const auto& [id, proposal] : proposals) {
            const bool all_voted = proposal.votes.size() == pattern.agents.size();
            const Result result = result_of(pattern.config, proposal.votes);
            if (!proposal.reached) {
                if (all_voted && result == Result::accepted && (is_completed_ || is_failed_))
                    broken("team: {} has the votes, and was not accepted", id);
                continue;
            }
            if (!all_voted) broken("team: {} was accepted with {} votes", id, proposal.votes.size());
            const bool by_ruling = result == Result::tie && pattern.coordination_agent &&
                                   is_approved_between(proposal.last, proposal.reached->seq);
            if (result != Result::accepted && !by_ruling) broken("team: {} was accepted, and has not the votes", id);
            boost::json::object said;
            for (const auto& [agent, vote] : proposal.votes) said[agent] = vote;
            if (proposal.reached->events.at(0).at("votes") != boost::json::value(said))
                broken("team: {} was accepted with other votes than were cast", id);
        }
    }

    // ---- sync points: nobody passes one before all have come ----

    /// Whose branch of the pattern a path lies in; empty: none.
    static std::string branch_in(std::string_view path)
    {
        const std::size_t begin = path.find("branch:");
        const std::size_t dot = begin == path.npos ? begin : path.find('.', begin);
        const std::size_t end = dot == path.npos ? dot : path.find('/', dot);
        return end == path.npos ? "" : std::string(path.substr(dot + 1, end - dot - 1));
    }

    void sync_points(const model::CollaborationPattern& pattern)
    {
        std::map<std::string, std::vector<const Told*>> arrivals;
        std::map<std::string, std::uint32_t> last;  // record of each
        for (const Record& record : records_)
            if (const std::string agent = branch_in(record.path); !agent.empty()) last[agent] = record.seq;
        auto told = told_.begin();
        for (const Record& record : records_) {
            for (; told != told_.end() && told->seq <= record.seq; ++told)
                if (told->what == "parallel_sync") arrivals[told->agent].push_back(&*told);
            const std::string agent = branch_in(record.path);
            if (record.kind != RecordKind::intent || agent.empty() || arrivals[agent].empty()) continue;
            const std::string point = arrivals[agent].back()->key;
            simulation_.count("team passed a sync point");
            for (const std::string& other : pattern.agents) {
                const auto& there = arrivals[other];
                const bool came = std::ranges::any_of(there, [&](const Told* one) { return one->key == point; });
                const bool has_left = !there.empty() && last[other] == there.back()->seq;
                if (!came && !has_left)
                    broken("team: record {}: {} passes {} before {} has come", record.seq, agent, point, other);
            }
        }
    }

    // ---- plans: what people change counts, and what has begun stays ----

    void plans()
    {
        std::map<std::uint32_t, boost::json::value> edits;  // accepted, by record; then heard
        std::set<std::string> begun, expected;
        std::set<std::string> items;
        auto told = told_.begin();
        for (const Record& record : records_) {
            for (; told != told_.end() && told->seq <= record.seq; ++told)
                if (told->what == engine::kPlanFact) take_plan(*told, begun, expected, items);
            const std::string item = top_node(record.path);
            const bool is_work = record.kind == RecordKind::intent || record.kind == RecordKind::outcome;
            if (is_work && items.contains(item)) begun.insert(item);
            if (record.kind == RecordKind::setting) {
                const auto setting = body_of<engine::SettingBody>(record);
                if (setting.plan.is_set()) edits.emplace(record.seq, parse_json(setting.plan.text));
            }
            if (record.kind != RecordKind::outcome) continue;
            const auto body = body_of<engine::OutcomeBody>(record);
            const auto* heed = std::get_if<engine::HeedOutcome>(&body.of);
            if (!heed || body.cancelled) continue;
            for (const std::uint32_t seq : heed->inputs.get())
                if (const auto edit = edits.extract(seq); !edit.empty()) {
                    expected.clear();  // of several the last counts
                    for (const auto& one : edit.mapped().at("tasks").as_array())
                        expected.insert(text_in(one.as_object(), "id"));
                    simulation_.count("plan edit heard");
                }
        }
        if (!is_completed_) return;
        if (!expected.empty()) broken("team: a change of the plan was heard, and nobody worked on it");
        for (const auto& [seq, edit] : edits) broken("team: the change of the plan in record {} was never heard", seq);
    }

    void take_plan(const Told& told, const std::set<std::string>& begun, std::set<std::string>& expected,
                   std::set<std::string>& items)
    {
        items.clear();
        for (const auto& item : told.fact.at("tasks").as_array()) items.insert(text_in(item.as_object(), "id"));
        for (const std::string& item : begun)
            if (!items.contains(item)) broken("team: record {}: the plan has lost {}, which had begun", told.seq, item);
        for (const std::string& item : expected)
            if (!items.contains(item))
                broken("team: record {}: the plan has not {}, which people put into it", told.seq, item);
        expected.clear();
        simulation_.count("plan announced");
    }

    Simulation& simulation_;
    const Subject& subject_;
    TeamTask task_;
    std::span<const Record> records_;
    std::vector<Told> told_;
    bool is_completed_ = false;
    bool is_failed_ = false;
};

}  // namespace

void check_team(Simulation& simulation, const Subject& subject, std::span<const Record> records)
{
    TeamCheck(simulation, subject, records).run();
}

}  // namespace cadre::sim
