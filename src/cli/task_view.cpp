#include "cli/task_view.hpp"

#include "base/async.hpp"
#include "base/utf8.hpp"
#include "cli/console.hpp"
#include "cli/event_text.hpp"
#include "cli/task_text.hpp"
#include "engine/task_state.hpp"

#include <boost/json.hpp>

#include <utility>

namespace cadre::cli {
namespace {

/// What a model wrote, so that it cannot command the terminal; tabs are harmless.
std::string for_terminal(std::string_view text)
{
    std::string result;
    while (true) {
        const std::size_t tab = text.find('\t');
        result += printable(text.substr(0, tab));
        if (tab == std::string_view::npos) return result;
        result += '\t';
        text.remove_prefix(tab + 1);
    }
}

/// How much of the text is whole characters; the rest may become one.
std::size_t whole_characters(std::string_view text)
{
    constexpr std::size_t kLongest = 4;
    for (std::size_t back = 1; back < kLongest && back <= text.size(); ++back) {
        const auto byte = static_cast<unsigned char>(text[text.size() - back]);
        if ((byte & 0xC0) == 0x80) continue;
        const std::size_t needs = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return needs > back ? text.size() - back : text.size();
    }
    return text.size();
}

}  // namespace

Async<> TaskView::take(std::string line)
{
    const boost::json::object said = parse_line(line);
    if (const auto* seq = said.if_contains("seq")) {
        const auto* event = said.if_contains("event");
        if (console_.output().json) co_await console_.out(std::move(line));
        if (event) co_await show_event(*event);
        seen_ = seq->to_number<std::uint32_t>();
    } else if (const auto* chunk = said.if_contains("chunk"); chunk && chunk->is_object()) {
        co_await show_chunk(chunk->get_object());
    } else if (said.contains("gap")) {
        streamed_ += '\0';  // never the answer: that is then shown whole
    } else if (said.contains("waiting")) {
        set_waiting(true);
    }
}

Async<> TaskView::show_event(const boost::json::value& json)
{
    const auto event = event_from(json);
    if (!event) co_return;
    if (std::holds_alternative<model::HITLResponseEvent>(*event)) {
        // before anything that the answer leads to
        if (std::exchange(asking_, false)) co_await console_.err("\nanswered elsewhere\n");
        set_waiting(false);
    }
    if (std::holds_alternative<model::AgentStartEvent>(*event) ||
        std::holds_alternative<model::RecoveryEvent>(*event)) {
        co_await end_line();
        streamed_.clear();
    }
    if (console_.output().json || console_.output().quiet || !is_progress(*event)) co_return;
    co_await end_line();
    co_await console_.err(one_line(words_of(*event), console_.width() - 1, console_.output().utf8) + "\n");
}

Async<> TaskView::show_chunk(const boost::json::object& chunk)
{
    if (console_.output().json || !console_.out_is_terminal()) co_return;
    const auto* text = chunk.if_contains("text");
    if (!text || !text->is_string()) co_return;
    streamed_ += text->get_string();
    cut_ += text->get_string();
    std::string whole = cut_.substr(0, whole_characters(cut_));
    cut_.erase(0, whole.size());
    if (whole.empty()) co_return;
    line_open_ = !whole.ends_with('\n');
    co_await console_.out(for_terminal(whole));
}

Async<> TaskView::finish(const engine::TaskState& state)
{
    if (console_.output().json) co_return;
    const std::string answer = state.reply ? state.reply->text : "";
    if (!streamed_.empty() && streamed_ == answer) co_return co_await end_line();
    co_await end_line();
    std::string shown = console_.out_is_terminal() ? for_terminal(answer) : answer;
    if (!shown.ends_with('\n')) shown += '\n';
    co_await console_.out(std::move(shown));
}

Async<> TaskView::end_line()
{
    if (!std::exchange(line_open_, false)) co_return;
    co_await console_.out("\n");
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
