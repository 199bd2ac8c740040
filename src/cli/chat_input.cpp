#include "cli/chat_input.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/pool.hpp"
#include "base/race.hpp"
#include "cli/ask_in_place.hpp"
#include "cli/input_history.hpp"
#include "cli/line_editor.hpp"
#include "cli/verb_context.hpp"
#include "net/signals.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <termios.h>
#include <unistd.h>
#include <utility>

namespace cadre::cli {
namespace {

constexpr std::string_view kPrompt = "> ";
constexpr std::string_view kBeginPastes = "\x1b[?2004h", kEndPastes = "\x1b[?2004l";

/// While it lives, what is typed comes at once, as it is, and is not shown.
class RawMode {
public:
    RawMode()
    {
        if (::tcgetattr(STDIN_FILENO, &before_) != 0)
            throw Error(Code::unavailable, "cannot read the terminal: " + std::generic_category().message(errno));
        termios raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
        raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR | IGNCR);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    }
    RawMode(const RawMode&) = delete;
    RawMode& operator=(const RawMode&) = delete;
    ~RawMode() { ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_); }

private:
    termios before_{};
};

/// What stands in the terminal's input, once something does; empty at its end.
Async<std::string> read_some(net::Loop& loop)
{
    std::array<char, 4096> piece;
    while (true) {
        co_await net::readable(loop, STDIN_FILENO);
        const ssize_t size = ::read(STDIN_FILENO, piece.data(), piece.size());
        if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        co_return std::string(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    }
}

class TerminalInput final : public ChatInput {
public:
    explicit TerminalInput(VerbContext& command) : command_(command), history_(read_inputs(command.session.home())) {}

    bool has_person() const override { return true; }

    Async<std::optional<std::string>> next() override
    {
        const Interrupts::GoodOrder good_order(command_.interrupts);  // the terminal must be left as it was
        std::optional<std::string> message;
        {
            Race race(co_await this_context());
            race.add(edit(message));
            race.add(until_interrupted());
            co_await race.over();
        }
        if (command_.interrupts.number()) {
            co_await write(std::string(kEndPastes) + "\n");
            co_return std::nullopt;
        }
        if (message && message->find_first_not_of(" \n\t") != message->npos) remember(*message);
        co_return message;
    }

private:
    Async<> until_interrupted() { co_await command_.interrupts.came(); }

    Async<> edit(std::optional<std::string>& message)
    {
        std::optional<RawMode> raw(std::in_place);
        co_await write(std::string(kBeginPastes));
        LineEditor editor(kPrompt, history_);
        while (true) {
            std::string_view bytes = waiting_;
            const auto event = editor.take(bytes);
            waiting_ = std::string(bytes);
            switch (event) {
            case LineEditor::Event::none:
                co_await write(editor.show(command_.console.size()));
                waiting_ = co_await read_some(command_.loop);
                if (!waiting_.empty()) continue;
                [[fallthrough]];
            case LineEditor::Event::end: co_await write("\n" + std::string(kEndPastes)); co_return;
            case LineEditor::Event::interrupted:
                co_await write(editor.leave(command_.console.size()));
                editor = LineEditor(kPrompt, history_);
                continue;
            case LineEditor::Event::suspend:
                co_await write(editor.leave(command_.console.size()) + std::string(kEndPastes));
                raw.reset();
                ::raise(SIGTSTP);
                raw.emplace();
                co_await write(std::string(kBeginPastes));
                continue;
            case LineEditor::Event::done: break;
            }
            co_await write(editor.leave(command_.console.size()) + std::string(kEndPastes));
            message = editor.text();
            co_return;
        }
    }

    /// To the terminal that standard output is, or else standard error.
    Async<> write(std::string text)
    {
        Console& console = command_.console;
        if (console.out_is_terminal()) co_await console.out(std::move(text));
        else co_await console.err(std::move(text));
    }

    void remember(const std::string& message)
    {
        add_input(command_.session.home(), message);
        if (history_.empty() || history_.back() != message) history_.push_back(message);
    }

    VerbContext& command_;
    std::vector<std::string> history_;
    std::string waiting_;  // typed ahead
};

class LineInput final : public ChatInput {
public:
    explicit LineInput(VerbContext& command)
        : command_(command), has_person_(!command.console.output().json && ::isatty(STDIN_FILENO) == 1)
    {}

    bool has_person() const override { return has_person_; }

    Async<std::optional<std::string>> next() override
    {
        std::string message;
        while (true) {
            if (has_person_) co_await command_.console.err(std::string(message.empty() ? kPrompt : "  "));
            auto line = co_await on(reader_, [this] { return read_line(); });
            if (!line) co_return message.empty() ? std::nullopt : std::optional(std::move(message));
            message += *line;
            if (!message.ends_with('\\')) co_return std::move(message);
            message.back() = '\n';
        }
    }

private:
    /// Blocks.
    std::optional<std::string> read_line()
    {
        std::size_t end;
        while ((end = read_.find('\n')) == read_.npos && read_.size() <= kMaxMessage) {
            std::array<char, 4096> piece;
            const ssize_t size = ::read(STDIN_FILENO, piece.data(), piece.size());
            if (size < 0 && errno == EINTR) continue;
            if (size < 0)
                throw Error(Code::unavailable, "cannot read standard input: " + std::generic_category().message(errno));
            if (size == 0) {
                if (read_.empty()) return std::nullopt;
                return std::exchange(read_, "");
            }
            read_.append(piece.data(), static_cast<std::size_t>(size));
        }
        if (end == read_.npos || end > kMaxMessage)
            throw Error(Code::too_large, "a line of standard input is too long for a message");
        std::string line = read_.substr(0, end);
        read_.erase(0, end + 1);
        if (line.ends_with('\r')) line.pop_back();
        return line;
    }

    VerbContext& command_;
    bool has_person_;  // at a terminal that cannot be drawn on
    ThreadPool reader_{1};
    std::string read_;
};

}  // namespace

std::unique_ptr<ChatInput> chat_input(VerbContext& command)
{
    if (can_ask(command.console) && command.console.redraws()) return std::make_unique<TerminalInput>(command);
    return std::make_unique<LineInput>(command);
}

}  // namespace cadre::cli
