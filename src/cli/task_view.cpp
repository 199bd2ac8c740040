#include "cli/task_view.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "cli/console.hpp"
#include "cli/event_text.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/task_text.hpp"
#include "cli/verb.hpp"
#include "engine/numbered_event.hpp"
#include "engine/summarizer.hpp"
#include "engine/task_state.hpp"
#include "home/control/control.hpp"

#include <fmt/format.h>

#include <utility>

namespace cadre::cli {
TaskView::TaskView(Console& console, std::uint32_t seen) : console_(console), seen_(seen)
{
    const Output& output = console.output();
    if (console.redraws() && !output.json && !output.quiet) live_.emplace(console);
}

void TaskView::remember(const std::vector<engine::EventPtr>& events)
{
    for (const engine::EventPtr& event : events)
        if (event->number <= seen_) live_->screen().take(event->event, live_->now());
    live_->screen().frame(live_->now(), console_.size());  // what is final was shown then
}

Async<> TaskView::hear(home::Told told)
{
    if (const auto* event = std::get_if<engine::EventPtr>(&told)) {
        if (console_.output().json) co_await console_.out(engine::line_of(**event));
        co_await show(*event);
        seen_ = (*event)->number;
    } else if (auto* chunk = std::get_if<model::StreamChunk>(&told)) {
        co_await show(std::move(*chunk));
    } else if (std::holds_alternative<engine::ChunkGap>(told)) {
        if (live_) live_->screen().lose_text();
        if (console_.output().json && console_.output().deltas) co_await console_.out(home::line_of(told));
        lossy_.insert(at_work_.begin(), at_work_.end());
        streamed_ += '\0';  // never the answer: that is then shown whole
    } else if (auto* question = std::get_if<home::WaitsForPerson>(&told)) {
        question_ = std::move(*question);
        set_waiting(true);
    } else if (std::holds_alternative<home::WaitsNoMore>(told)) {
        if (std::exchange(asking_, false)) co_await console_.err("\nanswered elsewhere\n");
        set_waiting(false);
    }
}

namespace {

/// Nobody asked for what a model says there.
bool is_about_summary(const model::Event& event)
{
    const auto* start = std::get_if<model::AgentStartEvent>(&event);
    const auto* end = std::get_if<model::AgentCompleteEvent>(&event);
    return (start && engine::is_summarizer(start->agent_name)) || (end && engine::is_summarizer(end->agent_name));
}

}  // namespace

Async<> TaskView::show(engine::EventPtr numbered)
{
    const model::Event& event = numbered->event;
    if (is_about_summary(event)) co_return;
    const auto* answer = std::get_if<model::HITLResponseEvent>(&event);
    if (answer && answer->request_id == question_.request) {
        // before anything that the answer leads to
        const bool late = answer->response_type == model::HitlResponseType::timeout;
        if (std::exchange(asking_, false))
            co_await console_.err(late ? "\nno answer came in time\n" : "\nanswered elsewhere\n");
        set_waiting(false);
    }
    if (live_) co_return live_->screen().take(event, live_->now());
    co_await say_elsewhere(event);
    if (const auto* start = std::get_if<model::AgentStartEvent>(&event)) at_work_.insert(start->step_id);
    if (const auto* end = std::get_if<model::AgentCompleteEvent>(&event)) {
        co_await show_rest(*end);
        at_work_.erase(end->step_id);
        co_await end_lane(end->step_id);
    }
    const auto* recovery = std::get_if<model::RecoveryEvent>(&event);
    if (std::holds_alternative<model::AgentStartEvent>(event) || (recovery && !recovery->success)) {
        co_await end_line();
        streamed_.clear();
    }
    if (console_.output().json || console_.output().quiet) co_return;
    if (std::string title = node_title(event, console_.output().utf8); !title.empty() && title != node_) {
        node_ = title;
        co_await end_line();
        co_await console_.err(one_line(title, console_.size().width - 1, console_.output().utf8) + "\n");
    }
    if (!is_progress(event)) co_return;
    co_await end_line();
    const bool utf8 = console_.output().utf8;
    std::string words = words_of(event);
    // the words alone would not say so
    if (std::holds_alternative<model::ErrorEvent>(event))
        if (const auto mark = team_mark(event, utf8)) words.insert(0, std::string(mark->sign) + " ");
    co_await console_.err(one_line(words, console_.size().width - 1, utf8) + "\n");
}

Async<> TaskView::show(model::StreamChunk chunk)
{
    const Output& output = console_.output();
    if (output.json && output.deltas) co_return co_await console_.out(home::line_of(home::Told(std::move(chunk))));
    if (output.json) co_return;
    if (live_) co_return live_->screen().take(chunk, live_->now());
    if (chunk.throttled_until && !output.quiet) {
        co_await end_line();
        co_await console_.err(printable(chunk.agent_name) + " is " + throttled_text(*chunk.throttled_until) + "\n");
    }
    if (!console_.out_is_terminal()) co_return;
    if (!chunk.task_id) written_[chunk.step_id] += chunk.text.size();
    if (chunk.aborted && !output.quiet && written_[chunk.step_id] > 0) {
        co_await end_line();
        co_await end_lane(chunk.step_id);
        co_return co_await console_.err(printable(chunk.agent_name) + "'s answer broke off here\n");
    }
    if (chunk.task_id || at_work_.size() > 1 || lanes_.contains(chunk.step_id)) co_return co_await show_in_lane(chunk);
    streamed_ += chunk.text;
    std::string whole = stream_.take(chunk.text);
    if (whole.empty()) co_return;
    line_open_ = !whole.ends_with('\n');
    co_await console_.out(std::move(whole));
}

/// What did not come in pieces, or not all of it.
Async<> TaskView::show_rest(const model::AgentCompleteEvent& end)
{
    const auto written = written_.extract(end.step_id);
    const bool is_lossy = lossy_.erase(end.step_id) > 0;
    const std::size_t shown = written.empty() || is_lossy ? 0 : written.mapped();
    if (console_.output().json || end.text.size() <= shown) co_return;
    if (!console_.out_is_terminal()) {
        unsaid_ = end;
        co_return;
    }
    model::StreamChunk rest{.step_id = end.step_id, .agent_name = end.agent_name, .text = end.text.substr(shown)};
    co_await show(std::move(rest));
    written_.erase(end.step_id);
}

/// What was written on the way to an answer that goes elsewhere; only what comes next tells one from the other.
Async<> TaskView::say_elsewhere(const model::Event& next)
{
    if (!unsaid_ || console_.output().quiet) co_return;
    const model::AgentCompleteEvent said = *std::exchange(unsaid_, std::nullopt);
    const auto* end = std::get_if<model::TaskCompleteEvent>(&next);
    const bool is_answer = end && end->final_status == model::FinalStatus::success && end->summary == said.text;
    // an object that the team says in words
    if (is_answer || (said.text.starts_with('{') && team_mark(next, false))) co_return;
    std::string lines;
    for (const std::string& line : lines_of(terminal_text(said.text), SIZE_MAX))
        lines += printable(said.agent_name) + ": " + line + "\n";
    co_await console_.err(std::move(lines));
}

/// Whole lines, with the name of who wrote them in front: those of several agents mix.
Async<> TaskView::show_in_lane(const model::StreamChunk& chunk)
{
    co_await end_line();
    Lane& lane = lanes_[chunk.step_id];
    lane.name = (chunk.task_id ? console_.output().utf8 ? "↳ " : "> " : "") + printable(chunk.agent_name);
    lane.text += lane.stream.take(chunk.text);
    if (!chunk.task_id) streamed_ += '\0';  // never the answer: that is then shown whole
    std::string lines;
    while (auto line = take_line(lane.text, SIZE_MAX)) lines += lane.name + ": " + *line + "\n";
    if (!lines.empty()) co_await console_.out(std::move(lines));
    if (chunk.task_id && chunk.is_final) co_await end_lane(chunk.step_id);
}

Async<> TaskView::end_lane(std::string step)
{
    const auto lane = lanes_.extract(step);
    if (lane.empty() || lane.mapped().text.empty()) co_return;
    co_await console_.out(lane.mapped().name + ": " + lane.mapped().text + "\n");
}

Async<> TaskView::finish(const engine::TaskState& state)
{
    if (console_.output().json) co_return;
    const std::string answer = state.reply ? state.reply->text : "";
    co_await end_line();
    const bool shown = live_ && console_.out_is_terminal() ? live_->screen().said() == answer : streamed_ == answer;
    if (answer.empty() || !shown) {
        std::string text = console_.out_is_terminal() ? terminal_text(answer) : answer;
        if (!text.ends_with('\n')) text += '\n';
        if (live_ && console_.out_is_terminal()) co_await live_->say(std::move(text));
        else co_await console_.out(std::move(text));
    }
    if (live_) co_await summarize(state);
}

/// What it took, and where to read on.
Async<> TaskView::summarize(const engine::TaskState& state)
{
    const Output& output = console_.output();
    const std::string id = short_id(state.id);
    const std::size_t width = console_.size().width - 3;
    std::string text = output.err.paint(Tone::green, output.utf8 ? "✓" : "*");
    for (const std::string& line : lines_of(fmt::format("{}, {}", cadre::to_text(state.ran), usage_text(state)), width))
        text += (text.ends_with('\n') ? "  " : " ") + output.err.paint(Tone::dim, line) + "\n";
    if (!output.hints) co_return co_await console_.err(std::move(text));
    const std::string commands[] = {as_typed("cadre show " + id), as_typed("cadre trace " + id),
                                    as_typed("cadre replay " + id)};
    std::string row = fmt::format("{}", fmt::join(commands, ", "));
    if (columns(row) > width) row = fmt::format("{}", fmt::join(commands, "\n  "));
    co_await console_.err(text + "  " + output.err.paint(Tone::dim, row) + "\n");
}

Async<> TaskView::end_line()
{
    if (live_) co_return co_await live_->settle();
    if (!std::exchange(line_open_, false)) co_return;
    co_await console_.out("\n");
}

Async<> TaskView::animate()
{
    if (live_) co_await live_->animate();
}

void TaskView::hold(bool held)
{
    if (live_) live_->hold(held);
}

bool TaskView::set_footer(std::string text)
{
    if (live_) live_->screen().set_footer(std::move(text));
    return live_.has_value();
}

void TaskView::set_waiting(bool waiting)
{
    waiting_ = waiting;
    changed_.notify();
}

Async<> TaskView::until_waiting()
{
    while (!waiting_) co_await changed_.wait();
}

Async<> TaskView::until_answered()
{
    while (waiting_) co_await changed_.wait();
}

}  // namespace cadre::cli
