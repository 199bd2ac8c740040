#include "cli/console.hpp"

#include "base/async.hpp"
#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "cli/terminal.hpp"

#include <unistd.h>
#include <utility>

namespace cadre::cli {

Console::Console(const Output& output)
    : output_(output),
      out_is_terminal_(terminal_at(STDOUT_FILENO).present),
      err_is_terminal_(terminal_at(STDERR_FILENO).present),
      redraws_(terminal_at(STDERR_FILENO).redraws),
      writer_(1)
{}

Async<> Console::out(std::string text)
{
    if (text.empty()) co_return;
    co_await on(writer_, [this, text = std::move(text)] { output_.print(text); });
}

Async<> Console::err(std::string text)
{
    if (text.empty()) co_return;
    co_await on(writer_, [this, text = std::move(text)] { output_.complain(text); });
}

Async<> Console::send(std::shared_ptr<Outbox> outbox)
{
    co_await on(writer_, [this, outbox] {
        std::string text;
        {
            const std::lock_guard lock(outbox->mutex);
            text.swap(outbox->text);
        }
        if (text.empty()) return;
        if (out_is_terminal_) output_.print(text);
        else output_.complain(text);
    });
}

TerminalSize Console::size() const
{
    return terminal_size(err_is_terminal_ ? STDERR_FILENO : STDOUT_FILENO);
}

Async<> Console::note(std::string text)
{
    text = redact(text);
    std::string line;
    if (output_.json) {
        JsonWriter(line).begin_object().field("note", text).end_object();
    } else {
        line = "cadre: " + printable(text);
    }
    co_await err(line + "\n");
}

}  // namespace cadre::cli
