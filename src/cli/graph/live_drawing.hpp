// The drawing of a task while it runs: in place on a terminal, elsewhere a line for each change.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "cli/graph/drawn_task.hpp"
#include "cli/graph/text_drawing.hpp"
#include "cli/output.hpp"
#include "cli/screen.hpp"
#include "cli/terminal.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cadre::cli {

/// Where a drawing goes.
struct DrawingPlace {
    const Output& output;
    bool redraws = false;                  // lines there can be drawn again
    std::function<TerminalSize()> size{};  // as it is now
    std::optional<std::size_t> width{};    // that was asked for
    const Clock& clock = system_clock();

    /// `moves`: it is drawn in place.
    TextLook look(bool moves) const;
};

/// The drawing with all that its nodes run, as lines.
std::vector<std::string> drawing_page(const Drawings& drawings, const TextLook& look);

/// Lives on one loop; the task and the place outlive it.
class LiveDrawing {
public:
    LiveDrawing(DrawnTask& task, const DrawingPlace& place);

    /// Until the task has ended.
    Async<> follow();

private:
    void print(const std::string& line) { place_.output.print(line + "\n"); }
    bool fits(const Drawings& drawings);
    void redraw();
    void end(const Drawings& last);
    void tell_changes(const Drawing& before, const Drawing& now);

    DrawnTask& task_;
    const DrawingPlace& place_;
    bool in_place_;
    Canvas canvas_;
};

}  // namespace cadre::cli
