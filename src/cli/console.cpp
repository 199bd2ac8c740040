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
      width_(terminal_width(STDERR_FILENO)),
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
