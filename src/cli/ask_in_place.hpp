// Asking the person at the terminal what a task wants to know.
#pragma once

#include "base/async_fwd.hpp"
#include "model/human.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace cadre::net {
class Loop;
}

namespace cadre::cli {

class Console;

/// Whether somebody is there to be asked: input and messages are a terminal, and it is ours to read from.
bool can_ask(const Console& console);

/// What the first words of an answer mean.
enum class Meaning { answer, always, edit, result, unclear };

struct Understood {
    Meaning meaning = Meaning::unclear;
    model::HumanAnswer answer{};  // for `answer` and `always`
};

/// `y`, `n too long`, `e`, or what else suits the question. `rule`: what "always" would allow; empty: it is not an answer.
Understood understand(const model::HumanRequest& request, std::string_view line, std::string_view rule = {});

/// What is written before the person's answer.
std::string prompt_of(const model::HumanRequest& request, std::string_view rule = {});

struct Asked {
    std::optional<model::HumanAnswer> answer{};  // nothing: the person leaves it (Ctrl-D)
    bool always = false;
};

/// Shows the question and reads until the answer is clear. What was typed before that is thrown away.
Async<Asked> ask_in_place(net::Loop& loop, Console& console, model::HumanRequest request, std::string rule = {});

}  // namespace cadre::cli
