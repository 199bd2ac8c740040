#include "cli/output.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "base/visible.hpp"
#include "cli/char_width.hpp"
#include "cli/terminal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <poll.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cadre::cli {
namespace {

std::string_view terminal_code(Tone tone)
{
    switch (tone) {
    case Tone::bold: break;
    case Tone::dim: return "2";
    case Tone::red: return "31";
    case Tone::green: return "32";
    case Tone::yellow: return "33";
    }
    return "1";
}

void wait_until_writable(int descriptor)
{
    pollfd wanted{.fd = descriptor, .events = POLLOUT, .revents = 0};
    ::poll(&wanted, 1, -1);
}

/// U+0080 to U+009F: one of them, CSI, begins the same commands as ESC [.
bool is_c1_control(std::string_view character)
{
    return character.size() == 2 && character[0] == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0;
}

/// What joins emojis, and says that one is drawn in colour: unseen, and what they are for.
bool is_emoji_part(std::string_view character)
{
    const char32_t code = code_point(character);
    return code == 0x200D || code == 0xFE0E || code == 0xFE0F;
}

/// `after`: what was written before it. Behind ordinary letters nothing is joined.
bool is_plain(std::string_view character, std::string_view after)
{
    if (character.size() != 1) {
        if (character.empty() || is_c1_control(character)) return false;
        if (!is_unseen(character)) return true;
        return is_emoji_part(character) && !after.empty() && static_cast<unsigned char>(after.back()) >= 0x80;
    }
    const auto c = static_cast<unsigned char>(character[0]);
    return c == '\n' || (c >= 0x20 && c < 0x7F);
}

}  // namespace

std::string Paint::operator()(Tone tone, std::string_view text) const
{
    return on ? fmt::format("\x1b[{}m{}\x1b[0m", terminal_code(tone), text) : std::string(text);
}

void Output::complain(std::string_view text) const noexcept
{
    try {
        err.write(text);
    } catch (const Error&) {}
}

std::function<void(std::string_view)> descriptor_writer(int descriptor, std::string name)
{
    return [descriptor, name = std::move(name)](std::string_view text) {
        while (!text.empty()) {
            const ssize_t written = ::write(descriptor, text.data(), text.size());
            if (written >= 0) {
                text.remove_prefix(static_cast<std::size_t>(written));
            } else if (errno == EAGAIN) {
                wait_until_writable(descriptor);  // somebody we share the pipe with has made it non-blocking
            } else if (errno != EINTR) {
                if (errno == EPIPE) throw ReaderGone(name);
                const std::string why = std::generic_category().message(errno);
                throw Error(Code::unavailable, fmt::format("cannot write to {}: {}", name, why));
            }
        }
    };
}

std::string shown_json(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const auto first = static_cast<unsigned char>(text.front());
        const std::size_t length = first < 0x80 ? 1 : std::max<std::size_t>(utf8_length(text), 1);
        const std::string_view character = text.substr(0, length);
        if (first == 0x7F || is_c1_control(character) ||
            (length > 1 && is_unseen(character) && !is_emoji_part(character)))
            result += length > 1 ? visible(character) : "\\u007f";
        else result += character;
        text.remove_prefix(length);
    }
    return result;
}

Output standard_output()
{
    const Terminal out = terminal_at(STDOUT_FILENO);
    const Terminal err = terminal_at(STDERR_FILENO);
    const auto stream = [](int descriptor, std::string name, const Terminal& terminal) {
        auto write = descriptor_writer(descriptor, std::move(name));
        if (terminal.present) write = [write](std::string_view text) { write(shown_json(text)); };
        return Stream{.write = std::move(write), .paint = {.on = terminal.colours}};
    };
    return {.out = stream(STDOUT_FILENO, "standard output", out),
            .err = stream(STDERR_FILENO, "standard error", err),
            .utf8 = out.utf8,
            .wraps = err.present};
}

std::string printable(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        if (length != 0 && is_plain(character, result)) {
            result += character;
        } else {
            for (const char c : character) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
        text.remove_prefix(character.size());
    }
    return result;
}

}  // namespace cadre::cli
