// A line editor without a terminal: bytes that were typed go in, a text and what must be written to show it come out.
//
// Understood are what xterm and its like send for: characters in UTF-8, Enter, arrows, Home, End, Delete, Ctrl-A B D E F K L N P U W,
// Alt-B F D, Alt-Backspace, words with Ctrl and an arrow, Alt-Enter for another line, and bracketed paste.
#pragma once

#include "cli/terminal.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

/// A message may have this many bytes; more is not taken.
inline constexpr std::size_t kMaxMessage = 512 << 10;

/// Edits one message; made anew for each.
class LineEditor {
public:
    enum class Event {
        none,         // all was taken; show() shows what has changed
        done,         // Enter: text() is the message
        end,          // Ctrl-D on an empty line
        interrupted,  // Ctrl-C: text() is to be forgotten
        suspend,      // Ctrl-Z
    };

    /// `history` has what was typed before, the oldest first, for the arrows.
    LineEditor(std::string_view prompt, std::vector<std::string> history);

    /// Takes bytes off the front of `bytes`, up to the first event.
    Event take(std::string_view& bytes);

    const std::string& text() const { return text_; }
    /// In bytes.
    std::size_t cursor() const { return cursor_; }

    /// What to write so that the terminal shows the text, with the cursor at its place.
    std::string show(TerminalSize size);
    /// The same with the cursor below it, for what comes then.
    std::string leave(TerminalSize size);

private:
    enum class State { plain, escape, sequence, ss3, paste };

    Event key(char byte);
    Event control(char byte);
    void escaped(char byte);
    void sequence(char end);
    void paste(char byte);
    Event enter();

    void insert(std::string_view text);
    void add_byte(char byte);
    void remove(std::size_t from, std::size_t to);
    std::size_t left_of(std::size_t place) const;
    std::size_t right_of(std::size_t place) const;
    std::size_t word_left() const;
    std::size_t word_right() const;
    std::size_t line_begin(std::size_t place) const;
    std::size_t line_end(std::size_t place) const;
    void up();
    void down();
    void to_column_of(std::size_t line);
    void recall(std::size_t index);

    std::string prompt_;
    std::vector<std::string> history_;
    std::size_t index_;  // in the history; its size: what is being typed
    std::string draft_;  // what was being typed when the history was entered
    std::string text_;
    std::size_t cursor_ = 0;
    State state_ = State::plain;
    std::string pending_;  // bytes of a character, or of a sequence, that is not whole yet
    bool clear_ = false;
    std::size_t row_ = 0;  // of the terminal's cursor, below the first row that was written
};

}  // namespace cadre::cli
