// The live picture of a running task: what has happened and what is under way, as lines. A model without I/O or clock: events,
// pieces of text, a time and a size go in, lines come out.
#pragma once

#include "base/time.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "cli/text_stream.hpp"
#include "model/chunk.hpp"
#include "model/event.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::cli {

struct ScreenLook {
    Paint paint{};
    bool utf8 = false;
    bool shows_text = true;  // what models write; else only who is at work and what they call
};

/// Each line fits the width.
struct Frame {
    std::vector<std::string> done{};  // said once and for all, above what is live
    std::vector<std::string> live{};  // as it is now; never more than the height allows

    bool operator==(const Frame&) const = default;
};

/// Work is shown in the order in which it began: a line becomes final when all before it have.
class Screen {
public:
    Screen(ScreenLook look, std::size_t width);

    void take(const model::Event& event, Instant now);
    void take(const model::StreamChunk& chunk, Instant now);
    /// Pieces of text are missing.
    void lose_text();

    /// Lines below what is under way.
    void set_footer(std::string text) { footer_ = std::move(text); }

    /// What is new since the last time, and what is under way.
    Frame frame(Instant now, TerminalSize size);
    /// The same before something else is written below: what was begun is final as it stands, and nothing is live.
    Frame settled(Instant now, TerminalSize size);

    /// All that the last model call wrote, as it was written; nothing if pieces of it are missing.
    const std::optional<std::string>& said() const { return said_; }

private:
    struct Work {
        bool is_call = false;
        std::string id{};  // of the step or call
        std::string agent{};
        std::string node{};  // of a workflow; empty: none
        std::string tool{};
        std::string arguments{};
        Instant begun{};
        std::string waits{};  // of a step: until when its vendor lets nobody in
        std::string says{};   // of a call: how far it is
        bool ended = false;
        TextStream stream{};
        std::string text{};  // of a step: safe, and not yet final
        std::string result{};
        bool failed = false;
        std::optional<Millis> took{};
    };

    Work& begin(Work work);
    Work* find(std::string_view id);
    void remark(Tone tone, std::string_view text);
    void name_speaker(const Work& work);
    void finish_front();
    std::string call_line(const Work& work) const;
    std::string live_line(const Work& work, Instant now) const;

    ScreenLook look_;
    std::deque<Work> works_;
    std::vector<std::string> done_;  // final, and not yet shown
    std::size_t width_ = 0;          // of a line
    std::string speaker_;            // whose name stands above what was shown last
    std::optional<std::string> said_{""};
    std::string footer_;
};

/// Turns frames into what must be written to a terminal: the difference to what is there.
class Canvas {
public:
    std::string show(Frame frame, std::size_t width);

private:
    std::vector<std::string> live_;  // what stands there; the cursor is at its end, or else at the beginning of a line
};

}  // namespace cadre::cli
