#include "cli/task_text.hpp"

#include "base/error.hpp"
#include "cli/event_text.hpp"
#include "cli/layout.hpp"
#include "engine/task_state.hpp"
#include "home/control/control.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>

using namespace cadre;
using namespace cadre::cli;
using namespace std::chrono_literals;

TEST_CASE("one line: never wider than asked for, and no line break or command for the terminal in it")
{
    CHECK(one_line("short", 10, true) == "short");
    CHECK(one_line("two\nlines\tand", 20, true) == "two lines and");
    CHECK(one_line("0123456789", 10, true) == "0123456789");
    CHECK(one_line("0123456789a", 10, true) == "012345678…");
    CHECK(one_line("0123456789a", 10, false) == "0123456...");
    CHECK(one_line("ééééééééééé", 10, true) == "ééééééééé…");
    CHECK(one_line("\x1b[2J", 20, true) == "\\x1b[2J");
    for (std::size_t width = 0; width < 12; ++width)
        CHECK(columns(one_line(std::string(5000, 'x'), width, true)) <= std::max<std::size_t>(width, 1));
}

TEST_CASE("ages: the largest unit that gives at least one")
{
    CHECK(age_text(500ms) == "now");
    CHECK(age_text(59s) == "59 s");
    CHECK(age_text(61s) == "1 min");
    CHECK(age_text(47h) == "47 h");
    CHECK(age_text(49h) == "2 d");
}

TEST_CASE("questions: each type is asked in its words and has its command")
{
    const Id task = id_from("3f2a4b1c-0000-4000-8000-000000000000");
    model::HumanRequest request{.id = "abc", .agent = "writer"};
    request.context = {{"tool", "write_file"}, {"arguments", {{"path", "a.txt"}}}};
    CHECK(question_text(request) == R"(writer wants to call write_file {"path":"a.txt"})");
    CHECK(answer_commands(task, request) ==
          std::vector<std::string>{"cadre approve 3f2a4b1c --request abc", "cadre reject 3f2a4b1c --request abc"});

    request.context["sha256"] = "ab12";
    CHECK(question_text(request) == "writer wants to call write_file {\"path\":\"a.txt\"}\nsha256 ab12");
    // the model words its own consent form: what is decided on comes first, and its words are marked
    request.context = {{"tool", "refund"},
                       {"question", "Refund 10?"},
                       {"arguments", {{"question", "Refund 10?"}, {"amount", 10000}, {"account", "attacker"}}},
                       {"sha256", "ab12"}};
    CHECK(question_text(request) ==
          "writer asks about refund {\"account\":\"attacker\",\"amount\":10000}\nsha256 ab12\n"
          "in the model's words: Refund 10?");
    request.context["arguments"] = {{"amount", 10000}};
    request.context["question"] = "Gives money back.";
    CHECK(question_text(request).ends_with("\nwhat it is for: Gives money back."));

    request.type = model::HumanRequestType::feedback;
    request.context = {{"question", "Which?"}, {"choices", {"red", "blue"}}};
    CHECK(question_text(request) == "writer asks: Which? (red, blue)");
    CHECK(answer_command(task, request) == "cadre answer 3f2a4b1c --request abc \"text\"");

    request.type = model::HumanRequestType::outcome_unknown;
    request.context = {{"tool", "send_mail"}};
    CHECK(question_text(request) == "writer called send_mail, and it is not known whether that happened");
    CHECK(answer_command(task, request) == "cadre answer 3f2a4b1c --request abc --happened RESULT, or cadre answer "
                                           "3f2a4b1c --request abc --not-happened");
    request.context = {{"channel", "sms"}, {"to", "+1"}, {"why", "the line was cut"}};
    CHECK(question_text(request) ==
          "writer sent a message to +1 (sms), and it is not known whether that happened (the line was cut)");
}

TEST_CASE("attack 23: what cannot be seen in a question is written out")
{
    model::HumanRequest request{.id = "abc", .agent = "writer"};
    request.context = {{"tool", "shell"}, {"arguments", {{"command", "ls \u200b\U000E0072\U000E006D \u202e"}}}};
    const std::string text = question_text(request);
    CHECK(text.find("ls \\u200b\\udb40\\udc72\\udb40\\udc6d \\u202e") != std::string::npos);
    request.context = {{"question", "delete\u2060 it?\nreally"}};
    request.type = model::HumanRequestType::feedback;
    CHECK(question_text(request) == "writer asks: delete\\u2060 it?\nreally");
}

TEST_CASE("resume command: has what a paused task needs")
{
    engine::TaskState state;
    state.id = id_from("3f2a4b1c-0000-4000-8000-000000000000");
    CHECK(resume_command(state) == "cadre resume 3f2a4b1c");
    state.pause_reason = model::PauseReason::step_mode;
    CHECK(resume_command(state) == "cadre step 3f2a4b1c");
    state.pause_reason = model::PauseReason::budget;
    state.budget.tokens = 20'000;
    state.usage.input = 19'000;
    CHECK(resume_command(state) == "cadre resume 3f2a4b1c --budget '40000tokens'");
    state.budget.cost = 0.5;
    state.usage.cost = 0.5;
    CHECK(resume_command(state) == "cadre resume 3f2a4b1c --budget '$1.00,40000tokens'");
}

TEST_CASE("events: in words, also those that have none of their own")
{
    CHECK(words_of(model::AgentStartEvent{.agent_name = "a"}) == "a thinks");
    CHECK(words_of(model::MemoryStoreEvent{.memory_id = "m"}) == "memory store");
}
