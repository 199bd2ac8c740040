// The live picture of a running task: what has happened and what is under way, as lines. A model without I/O or clock: events,
// pieces of text, a time and a size go in, lines come out.
#pragma once

#include "base/time.hpp"
#include "cli/markdown_lines.hpp"
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

/// Work is shown in the order in which it began: a line becomes final when all before it have. While several agents write at the same
/// time, or one does in a task below, each has a lane: its lines are final as they come, with its name in front.
class Screen {
public:
    static constexpr std::size_t kNarrowest = 20;  // that a text is broken to

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
    static constexpr std::size_t kScreenMargin = 2;

    struct Work {
        bool is_call = false;
        std::string id{};  // of the step or call
        std::string agent{};
        std::string node{};  // of a workflow; empty: none
        std::string task{};  // below the one that is watched; empty: its own
        std::string lane{};  // what stands before its lines, where there are lanes
        std::string tool{};
        std::string arguments{};
        Instant begun{};
        std::string waits{};  // of a step: until when its vendor lets nobody in
        std::string says{};   // of a call: how far it is
        bool ended = false;
        TextStream stream{};
        std::string text{};       // of a step: safe, and not yet final
        std::size_t written = 0;  // of a step: bytes that have come
        bool is_lossy = false;    // of a step: pieces are missing
        MarkdownLines markdown{};
        bool held = false;  // an object, as of a vote: the team may say the same in words
        std::string result{};
        bool failed = false;
        std::optional<Millis> took{};
    };

    Work& begin(Work work);
    Work* find(std::string_view id);
    void write(Work& work, std::string_view piece);
    void complete(Work& work, std::string_view text);
    void break_off(Work& work);
    void say_elsewhere(const model::Event& next);
    void remark(Tone tone, std::string_view text);
    void remark_of_team(const model::Event& event);
    void name_speaker(const Work& work);
    void finish();
    void finish_front();
    void finish_lanes();
    void open_lanes();
    void name_lane(Work& work);
    std::string lane_line(const Work& work, std::string_view line) const;
    std::size_t lane_room() const;
    void follow_group(const model::Event& event);
    void settle_held(const model::Event& event);
    void show_plan(Work& work);
    std::string call_line(const Work& work, std::size_t width) const;
    std::string live_line(const Work& work, Instant now) const;
    std::string live_text(const Work& work, Instant now, std::size_t width) const;

    ScreenLook look_;
    std::deque<Work> works_;
    std::vector<std::string> done_;  // final, and not yet shown
    std::size_t width_ = 0;          // of a line
    bool voting_ = false;            // on a proposal
    bool lanes_ = false;
    std::size_t lane_width_ = 0;      // of the names in front
    std::vector<std::string> group_;  // agents that work at the same time, as the team says; empty: none
    std::string last_point_;          // where these part
    std::string speaker_;             // whose name stands above what was shown last
    std::optional<std::string> said_{""};
    std::optional<Work> unsaid_;  // where texts go elsewhere: what was written last, which may be the answer
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
