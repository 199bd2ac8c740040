#include "cli/graph/live_drawing.hpp"

#include "base/async.hpp"
#include "base/redact.hpp"
#include "base/timeout.hpp"
#include "cli/graph/drawing_json.hpp"
#include "cli/task_text.hpp"
#include "model/wire_name.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::cli {
namespace {

/// How often a task that another process drives is looked at.
constexpr Millis kGlanceEvery{100};

}  // namespace

TextLook DrawingPlace::look(bool moves) const
{
    const std::size_t all = size().width;
    // the last column makes some terminals wrap
    return {.paint = output.out.paint,
            .utf8 = output.utf8,
            .width = width.value_or(moves && all > 1 ? all - 1 : all),
            .now = clock.now()};
}

std::vector<std::string> drawing_page(const Drawings& drawings, const TextLook& look)
{
    std::vector<std::string> lines = text_drawing(drawings.main, look);
    for (const Drawing& drawing : drawings.nested) {
        lines.emplace_back();
        for (std::string& line : text_drawing(drawing, look)) lines.push_back(std::move(line));
    }
    return lines;
}

LiveDrawing::LiveDrawing(DrawnTask& task, const DrawingPlace& place)
    : task_(task), place_(place), in_place_(place.redraws && !place.output.json)
{}

Async<> LiveDrawing::follow()
{
    Drawings before = task_.drawings();
    if (place_.output.json) print(drawing_json(before.main, before.nested, &task_.task()));
    else if (!fits(before))
        for (const std::string& line : drawing_page(before, place_.look(false))) print(line);
    while (!task_.ended()) {
        if (in_place_) redraw();
        co_await sleep_for(kGlanceEvery);
        bool news = false;
        while (co_await task_.read_on()) news = true;
        if (in_place_ || !news) continue;
        Drawings now = task_.drawings();
        tell_changes(before.main, now.main);
        for (std::size_t i = 0; i < now.nested.size(); ++i) tell_changes(before.nested[i], now.nested[i]);
        before = std::move(now);
    }
    end(before);
}

/// What is higher than the terminal cannot be redrawn in place: then it is drawn once, and what changes is told.
bool LiveDrawing::fits(const Drawings& drawings)
{
    in_place_ = in_place_ && drawing_page(drawings, place_.look(true)).size() < place_.size().height;
    return in_place_;
}

void LiveDrawing::redraw()
{
    const TerminalSize size = place_.size();
    Frame frame{.live = drawing_page(task_.drawings(), place_.look(true))};
    const std::size_t most = std::max<std::size_t>(size.height, 2) - 1;
    if (frame.live.size() > most) frame.live.resize(most);  // the terminal has become smaller
    if (const std::string text = canvas_.show(std::move(frame), size.width); !text.empty()) place_.output.print(text);
}

void LiveDrawing::end(const Drawings& last)
{
    const engine::TaskState& state = task_.task();
    if (place_.output.json) {
        print(drawing_json(last.main, last.nested, &state));
        return;
    }
    const TextLook look = place_.look(in_place_);
    if (in_place_)
        place_.output.print(canvas_.show({.done = drawing_page(task_.drawings(), look)}, place_.size().width));
    const std::string why = state.error.empty() ? "" : ": " + redact(state.error);
    print(one_line(fmt::format("task {} {}{}", short_id(state.id), model::wire_name(state.status), why), look.width,
                   look.utf8));
}

void LiveDrawing::tell_changes(const Drawing& before, const Drawing& now)
{
    const TextLook look = place_.look(false);
    for (std::size_t i = 0; i < now.nodes.size(); ++i) {
        const DrawnNode& node = now.nodes[i];
        const DrawnNode& was = before.nodes[i];
        if (!node.state || !was.state) continue;
        const std::string counts = counts_of(node);
        if (node.state->status == was.state->status && counts == counts_of(was)) continue;
        if (place_.output.json) {
            print(node_json(node, now.name));
            continue;
        }
        print(one_line(fmt::format("{}  {}  {}{}", local_time(look.now, look.now), node.name,
                                   state_text(*node.state, look, true), counts.empty() ? "" : ", " + counts),
                       look.width, look.utf8));
    }
}

}  // namespace cadre::cli
