#include "cli/output.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "cli/terminal.hpp"

#include <fmt/core.h>

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

bool is_plain(std::string_view character)
{
    if (character.size() != 1) return !character.empty() && !is_c1_control(character);
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

Output standard_output()
{
    const Terminal out = terminal_at(STDOUT_FILENO);
    const Terminal err = terminal_at(STDERR_FILENO);
    return {.out = {.write = descriptor_writer(STDOUT_FILENO, "standard output"), .paint = {.on = out.colours}},
            .err = {.write = descriptor_writer(STDERR_FILENO, "standard error"), .paint = {.on = err.colours}},
            .utf8 = out.utf8};
}

std::string printable(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, length == 0 ? 1 : length);
        if (length != 0 && is_plain(character)) {
            result += character;
        } else {
            for (const char c : character) result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
        text.remove_prefix(character.size());
    }
    return result;
}

}  // namespace cadre::cli
