// Where a verb's words go and how they look there.
#pragma once

#include "base/error.hpp"
#include "base/log.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace cadre::cli {

enum class Tone { bold, dim, red, green, yellow };

/// `paint(Tone::red, "no")`: the text in that tone, or as it is where colours are off.
struct Paint {
    bool on = false;

    std::string operator()(Tone tone, std::string_view text) const;
};

struct Stream {
    std::function<void(std::string_view)> write{};  // everything or an Error
    Paint paint{};
};

/// Results go to `out`, everything else to `err`.
struct Output {
    Stream out{};
    Stream err{};
    bool json = false;           // one JSON object on `out` instead of text for people
    bool deltas = false;         // with `json`: also the pieces that models write, as they come
    bool quiet = false;          // only what was asked for or needs attention
    bool hints = true;           // what to type next to read on
    bool utf8 = false;           // whether people can read more than ASCII here
    bool wraps = false;          // whether `err` is a terminal: messages are broken at words
    std::function<Log()> log{};  // where bugs are told, standard error included; empty: `err` alone

    void print(std::string_view text) const { out.write(text); }
    /// On `err`, as far as that works: who closed it still gets the exit code.
    void complain(std::string_view text) const noexcept;
};

/// Whoever read our output has enough, as `head` does: nobody wants to hear of it.
class ReaderGone : public Error {
public:
    explicit ReaderGone(const std::string& name) : Error(Code::unavailable, "nothing reads " + name + " any more") {}
};

/// Writes to the descriptor at once and completely; throws Error(unavailable) that calls it `name` when that is not possible,
/// as on a full disk, and ReaderGone for a closed pipe.
std::function<void(std::string_view)> descriptor_writer(int descriptor, std::string name);

/// JSON as a terminal may show it: what could command it, or turn text around, becomes `\\u009b`, which means the same in JSON.
std::string shown_json(std::string_view text);

/// The process's own streams, as its environment wants them to look. What goes to a terminal passes shown_json() even where a verb
/// has not made it printable: of those characters we write none ourselves.
Output standard_output();

/// Text that no terminal takes for a command: control characters, line breaks apart, what changes the direction of text, and
/// what is not UTF-8 become `\x1b`.
std::string printable(std::string_view text);

}  // namespace cadre::cli
