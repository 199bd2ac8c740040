#include "cli/ask_in_place.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/trim.hpp"
#include "cli/console.hpp"
#include "cli/task_text.hpp"
#include "net/loop.hpp"
#include "net/signals.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <termios.h>
#include <unistd.h>
#include <utility>

namespace cadre::cli {
namespace {

using model::HumanRequestType;
using model::HumanVerb;

/// The text after the word, when the line begins with it or with its first letter.
std::optional<std::string_view> after(std::string_view line, std::string_view word)
{
    const std::string_view first = line.substr(0, line.find(' '));
    if (first != word && first != word.substr(0, 1)) return std::nullopt;
    return trimmed(line.substr(first.size()));
}

Understood answered(HumanVerb verb, std::string_view message)
{
    return {Meaning::answer, {.verb = verb, .message = std::string(message)}};
}

/// One of the choices by its number, where there are some.
std::string chosen(const model::HumanRequest& request, std::string_view line)
{
    const auto* choices = request.context.if_contains("choices");
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (!choices || !choices->is_array() || error != std::errc{} || end != line.data() + line.size())
        return std::string(line);
    const auto& list = choices->get_array();
    if (number < 1 || number > list.size() || !list[number - 1].is_string()) return std::string(line);
    return std::string(list[number - 1].get_string());
}

/// Where the agent gave a choice, an answer is one of it; the engine takes no other.
bool is_choice(const model::HumanRequest& request, std::string_view line)
{
    const auto* choices = request.context.if_contains("choices");
    if (!choices || !choices->is_array() || choices->get_array().empty()) return true;
    return std::ranges::any_of(choices->get_array(), [&](const boost::json::value& choice) {
        return !choice.is_string() || choice.get_string() == line;
    });
}

/// A node of a workflow that asks has none.
bool has_arguments(const model::HumanRequest& request)
{
    return request.context.contains("arguments");
}

/// A line of the terminal; nothing at its end.
Async<std::optional<std::string>> read_line(net::Loop& loop)
{
    std::string line;
    std::array<char, 4096> piece;
    while (!line.ends_with('\n')) {
        co_await net::readable(loop, STDIN_FILENO);
        const ssize_t size = ::read(STDIN_FILENO, piece.data(), piece.size());
        if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (size <= 0) {
            if (line.empty()) co_return std::nullopt;
            break;
        }
        line.append(piece.data(), static_cast<std::size_t>(size));
    }
    co_return std::string(trimmed(line));
}

std::optional<boost::json::object> find_object(std::string_view text)
{
    try {
        boost::json::value value = parse_json(text);
        if (value.is_object()) return std::move(value.get_object());
    } catch (const Error&) {
        // the person is asked again
    }
    return std::nullopt;
}

}  // namespace

bool can_ask(const Console& console)
{
    if (console.output().json || !console.err_is_terminal() || ::isatty(STDIN_FILENO) != 1) return false;
    return ::tcgetpgrp(STDIN_FILENO) ==
           ::getpgrp();  // a job in the background that reads is stopped, and the home with it
}

Understood understand(const model::HumanRequest& request, std::string_view line, std::string_view rule)
{
    line = trimmed(line);
    if (line.empty()) return {};
    switch (request.type) {
    case HumanRequestType::approval:
        if (const auto rest = after(line, "yes")) return answered(HumanVerb::approve, *rest);
        if (const auto rest = after(line, "always"); rest && rest->empty() && !rule.empty())
            return {Meaning::always, {.verb = HumanVerb::approve, .message = "always"}};
        if (const auto rest = after(line, "no")) return answered(HumanVerb::reject, *rest);
        if (const auto rest = after(line, "edit"); rest && rest->empty() && has_arguments(request))
            return {Meaning::edit, {}};
        return {};
    case HumanRequestType::outcome_unknown:
        if (const auto rest = after(line, "yes"); rest && rest->empty()) return {Meaning::result, {}};
        if (const auto rest = after(line, "no")) return answered(HumanVerb::not_happened, *rest);
        if (const auto rest = after(line, "fail")) return answered(HumanVerb::reject, *rest);
        return {};
    case HumanRequestType::feedback:
        if (std::string choice = chosen(request, line); is_choice(request, choice))
            return answered(HumanVerb::approve, choice);
        return {};
    case HumanRequestType::escalation: break;
    }
    return answered(HumanVerb::approve, chosen(request, line));
}

std::string prompt_of(const model::HumanRequest& request, std::string_view rule)
{
    switch (request.type) {
    case HumanRequestType::approval:
        return fmt::format("[y]es, {}[n]o REASON, {}Ctrl-D to decide later: ",
                           rule.empty() ? "" : fmt::format("[a]lways allow {}, ", printable(rule)),
                           has_arguments(request) ? "[e]dit its arguments, " : "");
    case HumanRequestType::outcome_unknown:
        return "Did the call happen? [y]es, [n]o, call it again, [f]ail it, Ctrl-D to decide later: ";
    case HumanRequestType::feedback:
    case HumanRequestType::escalation: break;
    }
    return "Your answer, Ctrl-D to give it later: ";
}

Async<Asked> ask_in_place(net::Loop& loop, Console& console, model::HumanRequest request, std::string rule)
{
    ::tcflush(STDIN_FILENO, TCIFLUSH);  // typed before there was a question: no answer to it
    co_await console.err(printable(question_text(request)) + "\n");
    while (true) {
        co_await console.err(prompt_of(request, rule));
        const auto line = co_await read_line(loop);
        if (!line) {
            co_await console.err("\n");
            co_return Asked{};
        }
        Understood understood = understand(request, *line, rule);
        const bool always = understood.meaning == Meaning::always;
        if (always || understood.meaning == Meaning::answer) co_return Asked{std::move(understood.answer), always};
        if (understood.meaning == Meaning::unclear) {
            if (request.type == HumanRequestType::feedback && !line->empty())
                co_await console.err(printable(*line) +
                                     " is not one of the choices: type one of them, or its number.\n");
            continue;
        }

        const bool edit = understood.meaning == Meaning::edit;
        co_await console.err(edit ? "Its arguments as a JSON object: " : "What it gave: ");
        const auto more = co_await read_line(loop);
        if (!more) continue;
        model::HumanAnswer answer{.verb = edit ? HumanVerb::modify : HumanVerb::happened};
        if (!edit) {
            answer.updates["result"] = *more;
            co_return Asked{std::move(answer)};
        }
        if (auto arguments = find_object(*more)) {
            answer.updates["arguments"] = std::move(*arguments);
            co_return Asked{std::move(answer)};
        }
        co_await console.err("That is not a JSON object.\n");
    }
}

}  // namespace cadre::cli
