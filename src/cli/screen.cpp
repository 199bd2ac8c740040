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
constexpr std::size_t kScreenMargin = 2;
constexpr std::size_t kNarrowest = 20;

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

/// The last column makes some terminals wrap.
std::size_t line_width(std::size_t columns)
{
    return std::max(columns, kNarrowest) - 1;
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
    works_.push_back(std::move(work));
    return works_.back();
}

Screen::Work* Screen::find(std::string_view id)
{
    const auto found = std::ranges::find(works_, id, &Work::id);
    return found == works_.end() ? nullptr : &*found;
}

void Screen::remark(Tone tone, std::string_view text)
{
    finish_front();
    if (!works_.empty() && !works_.front().text.empty()) done_.push_back(std::exchange(works_.front().text, ""));
    const std::string mark = std::string(kScreenMargin, ' ') + look_.paint(tone, "!") + " ";
    const std::string margin(kScreenMargin + 2, ' ');
    bool first = true;
    for (const std::string& line : lines_of(terminal_text(text), width_ - margin.size()))
        done_.push_back((std::exchange(first, false) ? mark : margin) + line);
}

void Screen::take(const model::Event& event, Instant now)
{
    if (const auto* start = std::get_if<model::AgentStartEvent>(&event)) {
        begin({.id = start->step_id, .agent = start->agent_name, .node = start->node.value_or(""), .begun = now});
        said_ = "";
    } else if (const auto* end = std::get_if<model::AgentCompleteEvent>(&event)) {
        if (Work* work = find(end->step_id)) work->ended = true;
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
        work->result = result.error.value_or(result.result);
        if (result.execution_time_ms) work->took = Millis(*result.execution_time_ms);
    } else if (std::holds_alternative<model::TaskCompleteEvent>(event)) {
        std::erase_if(works_, [](const Work& work) { return !work.ended && work.text.empty(); });
        for (Work& work : works_) work.ended = true;
    } else if (const auto* recovery = std::get_if<model::RecoveryEvent>(&event)) {
        said_ = "";  // what was tried again is written again
        Work* before = find(text_in(recovery->details, "instead_of"));
        const std::string agent = before ? before->agent : "";
        if (before) before->ended = true;
        remark(Tone::yellow, words_of(event));
        if (!agent.empty()) begin({.id = text_in(recovery->details, "step_id"), .agent = agent, .begun = now});
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
    if (chunk.text.empty() && !chunk.throttled_until) return;
    if (!work) work = &begin({.id = chunk.step_id, .agent = chunk.agent_name, .begun = now});
    work->waits = chunk.throttled_until ? throttled_text(*chunk.throttled_until) : "";
    if (said_) *said_ += chunk.text;
    work->text += work->stream.take(chunk.text);
}

void Screen::lose_text()
{
    said_.reset();
}

// ---- what is seen ----

void Screen::name_speaker(const Work& work)
{
    const std::string name = node_title(work.node, work.agent, look_.utf8);
    if (name.empty() || name == speaker_) return;
    speaker_ = name;
    done_.push_back(look_.paint(Tone::bold, one_line(name, width_, look_.utf8)));
}

/// What of the first work, and of those after it that have ended, is final.
void Screen::finish_front()
{
    while (!works_.empty()) {
        Work& work = works_.front();
        if (work.is_call) {
            if (!work.ended) return;
            name_speaker(work);
            done_.push_back(call_line(work));
        } else {
            if (!look_.shows_text) work.text.clear();
            if (!work.text.empty()) name_speaker(work);
            while (auto line = take_line(work.text, width_)) done_.push_back(std::move(*line));
            if (!work.ended) return;
            if (!work.text.empty()) done_.push_back(std::move(work.text));
        }
        works_.pop_front();
    }
}

std::string Screen::call_line(const Work& work) const
{
    const std::string mark =
        work.failed ? look_.paint(Tone::red, look_.utf8 ? "✗" : "x") : look_.paint(Tone::green, look_.utf8 ? "✓" : "*");
    const std::string time = work.took ? cadre::to_text(*work.took) : "";
    const std::string_view arrow = look_.utf8 ? " → " : " -> ";
    const std::size_t before = kScreenMargin + 2;  // and the mark with its space
    const std::size_t taken = before + (time.empty() ? 0 : columns(time) + 2) + columns(arrow);
    const std::size_t room = std::max(width_, taken + kNarrowest) - taken;

    const std::string call = work.tool.empty() ? "call" : work.tool + " " + work.arguments;
    // what was asked gets half of the room, or what the result leaves of it
    const std::string whole = one_line(work.result, room, look_.utf8);
    const std::size_t for_call = std::max(room / 2, room - std::min(room, columns(whole)));
    const std::string asked = one_line(call, for_call, look_.utf8);
    const std::string result = one_line(work.result, room - columns(asked), look_.utf8);
    std::string line = fmt::format("{}{} {}", std::string(kScreenMargin, ' '), mark, asked);
    if (!result.empty()) line += std::string(arrow) + result;
    if (!time.empty()) line += "  " + time;
    return line;
}

std::string Screen::live_line(const Work& work, Instant now) const
{
    std::string text = work.tool + (work.says.empty() ? " " + work.arguments : ": " + work.says);
    if (!work.is_call) {
        // of what others write meanwhile, the end
        const std::string_view all = work.text;
        std::size_t from = all.size() - std::min(all.size(), width_ / 2);
        if (const std::size_t space = all.find(' ', from); from > 0 && space != all.npos) from = space + 1;
        text = node_title(work.node, work.agent, look_.utf8) + (!work.waits.empty() ? " is " + work.waits
                                                                : all.empty()       ? " thinks"
                                                                                    : " writes: ");
        text += all.substr(from);
    }
    if (work.is_call && work.ended) return call_line(work);  // it waits for those above it
    const std::string line = fmt::format("{} {}", spinner(now, look_.utf8), text);
    return std::string(kScreenMargin, ' ') + with_right(line, elapsed(work.begun, now), width_ - kScreenMargin, look_);
}

Frame Screen::frame(Instant now, TerminalSize size)
{
    width_ = line_width(size.width);
    finish_front();
    Frame frame{.done = std::exchange(done_, {})};
    const auto footer = footer_.empty() ? std::vector<std::string>{} : lines_of(footer_, width_);
    const std::size_t most = std::max<std::size_t>(size.height, footer.size() + 4) - footer.size() - 2;
    for (const Work& work : works_) {
        const bool streams = &work == &works_.front() && !work.is_call && !work.text.empty();
        if (frame.live.size() + 1 == most && works_.size() > most) {
            frame.live.push_back(
                fmt::format("{}and {} more", std::string(kScreenMargin, ' '), works_.size() - most + 1));
            break;
        }
        if (!work.is_call && work.ended && work.text.empty()) continue;
        frame.live.push_back(streams ? work.text : live_line(work, now));
    }
    frame.live.insert(frame.live.end(), footer.begin(), footer.end());
    return frame;
}

Frame Screen::settled(Instant now, TerminalSize size)
{
    Frame last = frame(now, size);
    if (!works_.empty() && !works_.front().is_call && !works_.front().text.empty())
        last.done.push_back(std::exchange(works_.front().text, ""));
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
