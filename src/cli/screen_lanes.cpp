// Agents that work together, on the screen: lanes, and lines about what they do.
#include "cli/event_text.hpp"
#include "cli/layout.hpp"
#include "cli/screen.hpp"
#include "cli/task_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cadre::cli {
namespace {

constexpr std::size_t kWidestLane = 16;  // of a name in front of its lines

}  // namespace

// ---- lanes ----

/// Whoever is at work now, and whoever begins until nobody is, has a lane.
void Screen::open_lanes()
{
    if (lanes_) return;
    finish_front();
    lanes_ = true;
    for (Work& work : works_) name_lane(work);
}

void Screen::name_lane(Work& work)
{
    // a node in which several agents work does not tell them apart
    const bool shared =
        std::ranges::find(group_, work.agent) != group_.end() ||
        std::ranges::any_of(works_, [&](const Work& one) { return one.node == work.node && one.agent != work.agent; });
    std::string name = work.node.empty() || shared ? work.agent : work.node;
    if (!work.task.empty()) name = (look_.utf8 ? "↳ " : "> ") + work.agent;
    // an agent may be at work several times
    const auto is_taken = [&](const std::string& wanted) {
        return std::ranges::any_of(works_, [&](const Work& one) {
            return &one != &work && !one.is_call && !work.is_call && one.lane == wanted && !one.ended;
        });
    };
    work.lane = name;
    for (int i = 2; is_taken(work.lane); ++i) work.lane = fmt::format("{} {}", name, i);
    lane_width_ = std::max(lane_width_, std::min(kWidestLane, columns(one_line(work.lane, kWidestLane, look_.utf8))));
}

std::string Screen::lane_line(const Work& work, std::string_view line) const
{
    const std::string name = padded(one_line(work.lane, lane_width_, look_.utf8), lane_width_);
    return fmt::format("{} {} {}", look_.paint(Tone::bold, name), look_.utf8 ? "│" : "|", line);
}

std::size_t Screen::lane_room() const
{
    constexpr std::size_t kBar = 3;  // between the name and its line
    return std::max(width_, lane_width_ + kBar + kNarrowest) - lane_width_ - kBar;
}

/// Whole lines of everybody; the lanes end when nobody is at work.
void Screen::finish_lanes()
{
    const std::size_t room = lane_room();
    for (Work& work : works_) {
        if (work.held || (work.is_call && !work.ended)) continue;
        if (work.is_call) {
            done_.push_back(lane_line(work, call_line(work, room)));
            continue;
        }
        if (!look_.shows_text) work.text.clear();
        while (auto line = take_line(work.text, room))
            done_.push_back(lane_line(work, work.markdown.shown(std::move(*line))));
        if (work.ended && !work.text.empty())
            done_.push_back(lane_line(work, work.markdown.shown(std::exchange(work.text, ""))));
    }
    std::erase_if(works_, [](const Work& work) { return work.ended && !work.held; });
    if (!works_.empty() || !group_.empty()) return;
    lanes_ = false;
    lane_width_ = 0;
    speaker_.clear();
}

// ---- lines ----

/// On one line: what was said at length is where it was said.
void Screen::remark_of_team(const model::Event& event)
{
    finish();
    const auto mark = team_mark(event, look_.utf8);
    speaker_.clear();  // who speaks next is named again
    done_.push_back(std::string(kScreenMargin, ' ') + look_.paint(mark->tone, mark->sign) + " " +
                    one_line(words_of(event), width_ - kScreenMargin - 2, look_.utf8));
}

/// Lanes stay while agents work at the same time, even when for a moment none of them does.
void Screen::follow_group(const model::Event& event)
{
    if (const auto* start = std::get_if<model::ParallelExecutionStartEvent>(&event)) {
        finish();
        open_lanes();
        group_ = start->agents;
        last_point_ = start->sync_points.empty() ? "" : start->sync_points.back();
        for (const std::string& name : group_)
            lane_width_ = std::max(lane_width_, std::min(kWidestLane, columns(name)));
        return;
    }
    if (group_.empty()) return;
    const auto* sync = std::get_if<model::ParallelExecutionSyncEvent>(&event);
    const auto* next = std::get_if<model::AgentStartEvent>(&event);
    const bool is_over = (sync && sync->waiting_agents.empty() && sync->sync_point == last_point_) ||
                         (next && std::ranges::find(group_, next->agent_name) == group_.end()) ||
                         std::holds_alternative<model::AgentHandoffEvent>(event) ||
                         std::holds_alternative<model::TaskCompleteEvent>(event);
    if (!is_over) return;
    group_.clear();
    finish();
}

/// What the team has said in words is not shown as an object, too.
void Screen::settle_held(const model::Event& event)
{
    std::string said, acts;  // who did
    bool all = false;
    if (team_mark(event, false))
        voting_ = std::holds_alternative<model::ConsensusProposalEvent>(event) ||
                  std::holds_alternative<model::ConsensusVoteEvent>(event);
    if (const auto* vote = std::get_if<model::ConsensusVoteEvent>(&event)) said = vote->voter_agent;
    else if (const auto* proposal = std::get_if<model::ConsensusProposalEvent>(&event)) said = proposal->proposer_agent;
    else if (const auto* start = std::get_if<model::AgentStartEvent>(&event)) acts = start->agent_name;
    else if (const auto* call = std::get_if<model::ToolCallEvent>(&event)) acts = call->agent_name;
    else all = team_mark(event, false) || std::holds_alternative<model::TaskCompleteEvent>(event);
    // who works alone has said it before anything else happens
    all = all || (!lanes_ && !(said + acts).empty());
    for (Work& work : works_) {
        if (!work.held || !work.ended || !(all || work.agent == said || work.agent == acts)) continue;
        work.held = false;
        if (work.agent == said) work.text.clear();
        else show_plan(work);
    }
}

/// An object that is a plan is shown as one.
void Screen::show_plan(Work& work)
{
    const auto lines = look_.shows_text ? plan_lines(work.text) : std::vector<std::string>();
    if (lines.empty()) return;
    name_speaker(work);
    done_.push_back(std::string(kScreenMargin, ' ') + look_.paint(Tone::bold, look_.utf8 ? "◆" : "+") + " " +
                    plan_text(work.text));
    for (const std::string& line : lines)
        done_.push_back(std::string(kScreenMargin + 2, ' ') + one_line(line, width_ - kScreenMargin - 2, look_.utf8));
    work.text.clear();
}

}  // namespace cadre::cli
