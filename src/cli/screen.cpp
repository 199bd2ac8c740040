#include "cli/screen.hpp"

#include "base/json.hpp"
#include "base/member_text.hpp"
#include "cli/event_text.hpp"
#include "cli/layout.hpp"
#include "cli/task_text.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace cadre::cli {
namespace {

constexpr std::string_view kDots[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::string_view kBars[] = {"|", "/", "-", "\\"};
constexpr Millis kTurn{100};
/// What takes less is not worth a number that flickers.
constexpr Millis kNoticeable{1000};

std::string_view spinner(Instant now, bool utf8)
{
    const auto turn = static_cast<std::size_t>(now.time_since_epoch() / kTurn);
    return utf8 ? kDots[turn % std::size(kDots)] : kBars[turn % std::size(kBars)];
}

std::string elapsed(Instant since, Instant now)
{
    const auto time = std::chrono::duration_cast<Millis>(now - since);
    if (time < kNoticeable) return "";
    return cadre::to_text(time < std::chrono::minutes(1) ? time / 100 * 100 : time / 1000 * 1000);
}

/// `text`, and at its end, after two spaces, `right`; cut so that both fit.
std::string with_right(std::string_view text, std::string_view right, std::size_t width, const ScreenLook& look)
{
    if (right.empty()) return one_line(text, width, look.utf8);
    const std::size_t taken = columns(right) + 2;
    return one_line(text, width > taken ? width - taken : 0, look.utf8) + "  " + std::string(right);
}

/// What was written last, from the beginning of a word on.
std::string end_of(std::string_view text, std::size_t most)
{
    std::size_t from = text.size() - std::min(text.size(), most);
    if (const std::size_t space = text.find(' ', from); from > 0 && space != text.npos) from = space + 1;
    return std::string(text.substr(from));
}

/// The last column makes some terminals wrap.
std::size_t line_width(std::size_t columns)
{
    return std::max(columns, Screen::kNarrowest) - 1;
}

/// Of a line with colours.
std::size_t visible_columns(std::string_view line)
{
    std::string plain;
    while (!line.empty()) {
        const std::size_t escape = line.find("\x1b[");
        plain += line.substr(0, escape);
        if (escape == line.npos) break;
        line.remove_prefix(std::min(line.find('m', escape) + 1, line.size()));
    }
    return columns(plain);
}

/// Rows that a line takes where the terminal has become narrower since it was written.
std::size_t rows(std::string_view line, std::size_t width)
{
    return std::max<std::size_t>(1, (visible_columns(line) + width - 1) / width);
}

}  // namespace

// ---- what happens ----

Screen::Screen(ScreenLook look, std::size_t width) : look_(look), width_(line_width(width))
{}

Screen::Work& Screen::begin(Work work)
{
    if (lanes_) finish_lanes();  // they may have ended
    const auto writes = [](const Work& one) { return !one.is_call && !one.ended; };
    const bool several = !work.is_call && std::ranges::any_of(works_, writes);
    work.markdown = MarkdownLines(look_.paint, look_.utf8);
    works_.push_back(std::move(work));
    if (several || !works_.back().task.empty()) open_lanes();
    if (lanes_) name_lane(works_.back());
    return works_.back();
}

Screen::Work* Screen::find(std::string_view id)
{
    const auto found = std::ranges::find(works_, id, &Work::id);
    return found == works_.end() ? nullptr : &*found;
}

void Screen::remark(Tone tone, std::string_view text)
{
    finish();
    if (!lanes_ && !works_.empty() && !works_.front().text.empty())
        done_.push_back(std::exchange(works_.front().text, ""));
    const std::string mark = std::string(kScreenMargin, ' ') + look_.paint(tone, "!") + " ";
    const std::string margin(kScreenMargin + 2, ' ');
    bool first = true;
    for (const std::string& line : lines_of(terminal_text(text), width_ - margin.size()))
        done_.push_back((std::exchange(first, false) ? mark : margin) + line);
}

void Screen::take(const model::Event& event, Instant now)
{
    settle_held(event);
    follow_group(event);
    say_elsewhere(event);
    if (const auto* start = std::get_if<model::AgentStartEvent>(&event)) {
        begin({.id = start->step_id, .agent = start->agent_name, .node = start->node.value_or(""), .begun = now});
        said_ = "";
    } else if (const auto* end = std::get_if<model::AgentCompleteEvent>(&event)) {
        Work* work = find(end->step_id);
        if (!work && !end->text.empty()) work = &begin({.id = end->step_id, .agent = end->agent_name, .begun = now});
        if (work) complete(*work, end->text);
    } else if (const auto* call = std::get_if<model::ToolCallEvent>(&event)) {
        begin({.is_call = true,
               .id = call->tool_call.id,
               .agent = call->agent_name,
               .node = call->node.value_or(""),
               .tool = call->tool_call.tool_name,
               .arguments = cadre::to_text(boost::json::value(call->tool_call.args)),
               .begun = now});
    } else if (const auto* reply = std::get_if<model::ToolResultEvent>(&event)) {
        const model::ToolResult& result = reply->tool_result;
        Work* work = find(result.tool_call_id);
        if (!work) work = &begin({.is_call = true, .id = result.tool_call_id, .begun = now});  // it was refused
        work->ended = true;
        work->failed = result.error.has_value();
        work->result = (said_by_person(result) ? "a person said: " : "") + result.error.value_or(result.result);
        if (result.execution_time_ms) work->took = Millis(*result.execution_time_ms);
    } else if (std::holds_alternative<model::TaskCompleteEvent>(event)) {
        std::erase_if(works_, [](const Work& work) { return !work.ended && work.text.empty(); });
        for (Work& work : works_) work.ended = true;
    } else if (const auto* recovery = std::get_if<model::RecoveryEvent>(&event)) {
        if (recovery->success) return;  // what it led to follows
        said_ = "";                     // what was tried again is written again
        Work* before = find(text_in(recovery->details, "instead_of"));
        const std::string agent = before ? before->agent : "";
        if (before) before->ended = true;
        remark(Tone::yellow, words_of(event));
        if (!agent.empty()) begin({.id = text_in(recovery->details, "step_id"), .agent = agent, .begun = now});
    } else if (team_mark(event, look_.utf8)) {
        remark_of_team(event);
    } else if (is_progress(event) || std::holds_alternative<model::UserInterventionEvent>(event)) {
        remark(Tone::yellow, words_of(event));
    }
}

void Screen::take(const model::StreamChunk& chunk, Instant now)
{
    Work* work = find(chunk.step_id);
    if (chunk.progress) {
        if (work) work->says = *chunk.progress;
        return;
    }
    // events of tasks below are not told
    if (work && !work->task.empty() && chunk.is_final) work->ended = true;
    if (work && chunk.aborted && work->written > 0) return break_off(*work);
    if (chunk.text.empty() && !chunk.throttled_until) return;
    if (!work)
        work = &begin({.id = chunk.step_id,
                       .agent = chunk.agent_name,
                       .task = chunk.task_id.value_or(""),
                       .begun = now,
                       .ended = chunk.task_id && chunk.is_final});
    work->waits = chunk.throttled_until ? throttled_text(*chunk.throttled_until) : "";
    write(*work, chunk.text);
}

void Screen::write(Work& work, std::string_view piece)
{
    work.written += piece.size();
    if (said_ && work.task.empty()) *said_ += piece;
    const bool is_first = work.text.empty();
    work.text += work.stream.take(piece);
    if (is_first && work.text.starts_with('{')) work.held = lanes_ || voting_ || !work.node.empty();
}

/// What did not come in pieces, or not all of it, is there now.
void Screen::complete(Work& work, std::string_view text)
{
    if (work.is_lossy) {
        if (!work.text.empty()) work.text += '\n';
        work.written = 0;
        said_ = "";
    }
    if (work.written < text.size()) write(work, text.substr(work.written));
    work.ended = true;
    if (look_.shows_text || text.empty()) return;
    unsaid_ = Work{.agent = work.agent, .node = work.node, .text = std::string(text)};
}

/// What stands there is not the answer.
void Screen::break_off(Work& work)
{
    if (lanes_ && !work.text.empty()) done_.push_back(lane_line(work, std::exchange(work.text, "")));
    remark(Tone::yellow, work.agent + "'s answer broke off here");
}

/// What was written on the way to an answer that goes elsewhere; only what comes next tells one from the other.
void Screen::say_elsewhere(const model::Event& next)
{
    if (!unsaid_) return;
    const Work work = *std::exchange(unsaid_, std::nullopt);
    const auto* end = std::get_if<model::TaskCompleteEvent>(&next);
    const bool is_answer = end && end->final_status == model::FinalStatus::success && end->summary == work.text;
    // an object that the team says in words
    if (is_answer || (work.text.starts_with('{') && team_mark(next, false))) return;
    finish();
    name_speaker(work);
    for (const std::string& line : lines_of(terminal_text(work.text), width_)) done_.push_back(line);
}

void Screen::lose_text()
{
    said_.reset();
    for (Work& work : works_) work.is_lossy = work.is_lossy || (!work.is_call && !work.ended);
}

// ---- what is seen ----

void Screen::name_speaker(const Work& work)
{
    const std::string name = node_title(work.node, work.agent, look_.utf8);
    if (name.empty() || name == speaker_) return;
    speaker_ = name;
    done_.push_back(look_.paint(Tone::bold, one_line(name, width_, look_.utf8)));
}

void Screen::finish()
{
    if (lanes_) finish_lanes();
    else finish_front();
}

/// What of the first work, and of those after it that have ended, is final.
void Screen::finish_front()
{
    while (!works_.empty()) {
        Work& work = works_.front();
        if (work.is_call) {
            if (!work.ended) return;
            name_speaker(work);
            done_.push_back(std::string(kScreenMargin, ' ') + call_line(work, width_ - kScreenMargin));
        } else {
            if (work.held) return;
            if (!look_.shows_text) work.text.clear();
            if (!work.text.empty()) name_speaker(work);
            while (auto line = take_line(work.text, width_)) done_.push_back(work.markdown.shown(std::move(*line)));
            if (!work.ended) return;
            if (!work.text.empty()) done_.push_back(work.markdown.shown(std::move(work.text)));
        }
        works_.pop_front();
    }
}

std::string Screen::call_line(const Work& work, std::size_t width) const
{
    const std::string mark =
        work.failed ? look_.paint(Tone::red, look_.utf8 ? "✗" : "x") : look_.paint(Tone::green, look_.utf8 ? "✓" : "*");
    const std::string time = work.took ? cadre::to_text(*work.took) : "";
    const std::string_view arrow = look_.utf8 ? " → " : " -> ";
    const std::size_t before = 2;  // the mark with its space
    const std::size_t taken = before + (time.empty() ? 0 : columns(time) + 2) + columns(arrow);
    const std::size_t room = std::max(width, taken + kNarrowest) - taken;

    const std::string call = work.tool.empty() ? "call" : work.tool + " " + work.arguments;
    // what was asked gets half of the room, or what the result leaves of it
    const std::string whole = one_line(work.result, room, look_.utf8);
    const std::size_t for_call = std::max(room / 2, room - std::min(room, columns(whole)));
    const std::string asked = one_line(call, for_call, look_.utf8);
    const std::string result = one_line(work.result, room - columns(asked), look_.utf8);
    std::string line = asked;
    if (!result.empty()) line += std::string(arrow) + result;
    if (!time.empty()) line += "  " + time;
    return mark + " " + look_.paint(Tone::dim, line);  // so that what agents say stands out
}

/// What is under way, in so many columns.
std::string Screen::live_text(const Work& work, Instant now, std::size_t width) const
{
    if (work.is_call && work.ended) return call_line(work, width);  // it waits for those above it
    std::string text = work.tool + (work.says.empty() ? " " + work.arguments : ": " + work.says);
    if (!work.is_call) {
        text = lanes_ ? "" : node_title(work.node, work.agent, look_.utf8) + " ";
        text += !work.waits.empty() ? "is " + work.waits : work.text.empty() ? "thinks" : "writes";
        if (!lanes_ && !work.held && !work.text.empty()) text += ": " + end_of(work.text, width_ / 2);
    }
    return with_right(fmt::format("{} {}", spinner(now, look_.utf8), text), elapsed(work.begun, now), width, look_);
}

std::string Screen::live_line(const Work& work, Instant now) const
{
    const bool writes = !work.is_call && !work.held && !work.text.empty();
    if (lanes_) return lane_line(work, writes ? work.text : live_text(work, now, lane_room()));
    return writes && &work == &works_.front()
               ? work.text
               : std::string(kScreenMargin, ' ') + live_text(work, now, width_ - kScreenMargin);
}

Frame Screen::frame(Instant now, TerminalSize size)
{
    width_ = line_width(size.width);
    finish();
    Frame frame{.done = std::exchange(done_, {})};
    const auto footer = footer_.empty() ? std::vector<std::string>{} : lines_of(footer_, width_);
    const std::size_t most = std::max<std::size_t>(size.height, footer.size() + 4) - footer.size() - 2;
    for (const Work& work : works_) {
        if (frame.live.size() + 1 == most && works_.size() > most) {
            frame.live.push_back(
                fmt::format("{}and {} more", std::string(kScreenMargin, ' '), works_.size() - most + 1));
            break;
        }
        if (!work.is_call && work.ended && work.text.empty()) continue;
        frame.live.push_back(live_line(work, now));
    }
    frame.live.insert(frame.live.end(), footer.begin(), footer.end());
    return frame;
}

Frame Screen::settled(Instant now, TerminalSize size)
{
    for (Work& work : works_) work.held = false;
    Frame last = frame(now, size);
    for (Work& work : works_) {
        if (!work.is_call && !work.text.empty()) {
            const std::string text = std::exchange(work.text, "");
            last.done.push_back(lanes_ ? lane_line(work, text) : text);
        }
        if (!lanes_) break;  // the others wait for this one
    }
    last.live.clear();
    return last;
}

// ---- the terminal ----

std::string Canvas::show(Frame frame, std::size_t width)
{
    if (frame.done.empty() && frame.live == live_) return "";
    width = std::max<std::size_t>(width, 1);
    // lines at the beginning that stay as they are
    std::size_t same = 0;
    if (frame.done.empty())
        while (same < live_.size() && same < frame.live.size() && live_[same] == frame.live[same]) ++same;
    if (same < live_.size() && same == frame.live.size() && same > 0) --same;  // the cursor must be at the end of one

    std::size_t up = 0;
    for (std::size_t i = same; i < live_.size(); ++i) up += rows(live_[i], width);
    std::string text;
    if (up > 0) {
        text += '\r';
        if (up > 1) text += fmt::format("\x1b[{}A", up - 1);
        text += "\x1b[J";
    } else if (same > 0) {
        text += '\n';
    }
    for (const std::string& line : frame.done) text += line + '\n';
    for (std::size_t i = same; i < frame.live.size(); ++i) {
        if (i > same) text += '\n';
        text += frame.live[i];
    }
    live_ = std::move(frame.live);
    return text;
}

}  // namespace cadre::cli
