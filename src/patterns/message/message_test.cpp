#include "patterns/message/message_fixture.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace cadre::patterns::testing;
using model::TaskStatus;
using model::conversation::Channel;

namespace {

std::string text_of(const boost::json::value& value)
{
    return std::string(value.as_string());
}

}  // namespace

// CONV-60 U, CONV-65 U, CONV-67 U, CONV-68 U, CONV-70 U
TEST_CASE("message: the example of document 001, with the values that it shows")
{
    Desk desk;
    const TaskState state = desk.answered();
    CHECK(ending(state) == kHours);
    CHECK(state.reply->ok);
    CHECK(desk.phases() == "created planning extracting composing formatting validating sending completed");
    const auto view = desk.view();
    CHECK(view.request_id == to_string(desk.last));
    CHECK(view.status == model::Phase::completed);
    CHECK(view.final_response == kHours);
    CHECK(view.composed_response == kHours);
    CHECK(view.timesheet_data == boost::json::object{{"hours_logged", 32}, {"hours_target", 40}});
    REQUIRE(view.formatted_response);
    CHECK(view.formatted_response->content == kHours);
    CHECK_FALSE(view.formatted_response->is_split);
    CHECK(view.formatted_response->metadata.at("markdown_removed") == false);
    REQUIRE(view.validation_result);
    CHECK(view.validation_result->passed);
    CHECK(view.validation_result->scorecard_id == "scorecard-" + view.request_id);
    CHECK(view.scorecard->overall_passed);
    CHECK(view.scorecard->criteria.size() == 2);
    CHECK(view.execution_plan->steps.size() == 4);
    CHECK(view.refinement_count == 0);
    CHECK(view.completed_at);

    std::string lines;
    for (const auto& line : desk.facts("agent_interaction")) {
        lines += text_of(line.at("agent_name")) + "/" + text_of(line.at("action")) + " ";
        CHECK(line.at("success") == true);
        CHECK(model::problems_of(model::from_json<model::conversation::AgentInteractionLog>(line)).empty());
    }
    CHECK(lines == "timesheet/extract_hours planner/compose_response branding/format_for_channel quality/validate ");
    CHECK(desk.facts("validation_failure").empty());
}

TEST_CASE("message: without the flag no data is fetched, and numbers are not looked at")  // CONV-06 U
{
    Desk desk;
    desk.said["planner"] = {R"({"steps":[{"agent":"planner","action":"compose_response"}],
        "scorecard":{"criteria":[{"id":"polite","description":"The answer is polite","expected":"Polite"}]}})",
                            "Hello, we open at 9."};
    desk.said["quality"] = {R"([{"id":"polite","passed":true}])"};
    CHECK(ending(desk.answered("When do you open?")) == "Hello, we open at 9.");
    CHECK(desk.asked_as("timesheet") == 0);
    CHECK(desk.phases() == "created planning composing formatting validating sending completed");
    CHECK_FALSE(desk.view().timesheet_data);
}

// CONV-29 U, TRACE-33 U, TRACE-39 U
TEST_CASE("message: what fails its scorecard is refined once, and all of it is judged again")
{
    Desk desk;
    desk.said["planner"] = {kTimesheetPlan, "All is well.", "You have 32 hours, refined."};
    desk.said["quality"] = {kOneFailed, kAllPassed};
    const TaskState state = desk.answered();
    CHECK(ending(state) == "You have 32 hours, refined.");
    CHECK(state.reply->ok);
    CHECK(
        desk.phases() ==
        "created planning extracting composing formatting validating refining formatting validating sending completed");
    CHECK(desk.view().refinement_count == 1);
    const auto requests = desk.facts("refinement_request");
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].at("original_response") == "All is well.");
    CHECK(requests[0].at("failed_criteria").as_array().at(0).at("feedback") == "name the hours");
    const auto failures = desk.facts("validation_failure");
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].at("refinement_attempted") == true);
    CHECK(failures[0].at("refinement_succeeded") == true);
    CHECK(failures[0].at("final_outcome") == "You have 32 hours, refined.");
    CHECK(failures[0].at("validation_results").as_array().size() ==
          failures[0].at("scorecard").at("criteria").as_array().size());
}

TEST_CASE("message: what fails twice ends in the style guide's words, which are sent")  // CONV-34 U, CONV-66 U
{
    Desk desk;
    desk.setup.account = "support-sms";
    desk.setup.to = "+14155550100";
    desk.said["planner"] = {kTimesheetPlan, "All is well.", "Still well, refined."};
    desk.said["quality"] = {kOneFailed};
    const TaskState state = desk.answered();
    CHECK(state.status == TaskStatus::completed);
    CHECK_FALSE(state.reply->ok);
    CHECK(ending(state) == desk.setup.style.graceful_failure);
    CHECK(state.reply->error->find("name the hours") != std::string::npos);
    CHECK(desk.sender.dispatched.size() == 1);
    CHECK(desk.asked_as("quality") == 2);
    CHECK(desk.phases() == "created planning extracting composing formatting validating refining formatting validating "
                           "failed completed");
    const auto failures = desk.facts("validation_failure");
    REQUIRE(failures.size() == 1);
    CHECK(failures[0].at("refinement_succeeded") == false);
    CHECK(text_of(failures[0].at("final_outcome")) == desk.setup.style.graceful_failure);
    CHECK(desk.view().formatted_response->content == desk.setup.style.graceful_failure);
}

TEST_CASE("message case 7: what quality says of other ids is nothing, and silence is a failure")
{
    Desk desk;
    desk.said["quality"] = {R"([{"id":"something_else","passed":true},{"id":"correct_format","passed":true}])"};
    CHECK_FALSE(desk.answered().reply->ok);
    const auto view = desk.view();
    REQUIRE(view.validation_result);
    CHECK(view.validation_result->failed_criteria_ids == std::vector<std::string>{"answers_question"});
    CHECK(view.scorecard->criteria[0].feedback == "not evaluated");
    CHECK(view.scorecard->criteria.size() == 2);

    Desk silent;
    silent.said["quality"] = {"no JSON"};
    CHECK_FALSE(silent.answered().reply->ok);
    CHECK(silent.view().validation_result->failed_criteria_ids.size() == 2);
}

// CONV-20 U
TEST_CASE("message case 8: a plan that cannot be goes back once with what is wrong, then it is a graceful failure")
{
    const std::string poet = R"({"steps":[{"agent":"poet","action":"sing"}],
        "scorecard":{"criteria":[{"id":"a","description":"long enough","expected":"x"}]}})";
    Desk desk;
    desk.said["planner"] = {poet, kHours, kHours};
    desk.said["planner"].resize(11, kTimesheetPlan);  // the second attempt
    CHECK(ending(desk.answered()) == kHours);
    CHECK(desk.model->requests[1].messages.back()->text.find(
              "steps[0].agent: there is no agent \"poet\", only planner, timesheet, branding, quality") !=
          std::string::npos);

    Desk bad;
    bad.said["planner"] = {poet};
    const TaskState state = bad.answered();
    CHECK(state.status == TaskStatus::completed);
    CHECK_FALSE(state.reply->ok);
    CHECK(bad.asked_as("planner") == 2);
    CHECK(bad.phases() == "created planning failed completed");

    Desk vague;
    vague.said["planner"] = {R"({"steps":[{"agent":"planner","action":"x"}],
        "scorecard":{"criteria":[{"id":"a","description":"too short","expected":"x"}]}})"};
    CHECK_FALSE(vague.answered().reply->ok);
    CHECK(vague.model->requests[1].messages.back()->text.find(
              "Criterion description must be specific (min 10 chars)") != std::string::npos);
}

TEST_CASE("message case 9: numbers come from the data, however they are written")
{
    Desk desk;
    desk.said["timesheet"] = {R"({"amount": 1234.5})"};
    desk.said["planner"] = {kTimesheetPlan, "Es sind 1.234,5 Stunden."};
    CHECK(ending(desk.answered()) == "Es sind 1.234,5 Stunden.");

    Desk invented;
    invented.said["planner"] = {kTimesheetPlan, "You've logged 37 hours.", "You've logged 37 hours, refined."};
    CHECK_FALSE(invented.answered().reply->ok);
    const auto view = invented.view();
    REQUIRE(view.scorecard->criteria.size() == 3);
    CHECK(view.scorecard->criteria[2].id == "no_unsupported_numbers");
    CHECK(view.scorecard->criteria[2].feedback == "nothing says 37");
}

TEST_CASE("message case 10: the process dies between two pieces, and each is sent once")
{
    const auto prepare = [](Desk& desk) {
        desk.setup.account = "mail";  // which takes a key
        desk.setup.to = "+14155550100";
        desk.setup.channel.max_length = 40;
        desk.said["planner"] = {kTimesheetPlan, "You've logged 32 hours. Your target is 40 hours. Great progress!"};
    };
    Desk desk;
    prepare(desk);
    const TaskState state = desk.answered();
    CHECK(desk.sender.dispatched.size() == 3);
    CHECK(desk.view().formatted_response->parts.size() == 3);
    const auto journal = desk.records(desk.last);
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        CAPTURE(journal[length - 1].path);
        Desk other;
        prepare(other);
        TaskSpec pinned;
        other.pin(pinned);
        other.adopt(journal, length);
        CHECK(ending(other.finish(desk.last)) == ending(state));
        CHECK(other.wait(other.commands->replay(kAnn, desk.last)).diverged == "");
        std::size_t sent = 0;
        for (const storage::Record& record : std::span(journal).first(length))
            sent += record.kind == storage::RecordKind::outcome && effect_of(record) == EffectKind::send;
        CHECK(other.sender.dispatched.size() == 3 - sent);
    }
}

TEST_CASE("message: drafts that are on record are never written again, wherever the process dies")
{
    const auto prepare = [](Desk& desk) {
        desk.said["planner"] = {kTimesheetPlan, "All is well.", "You have 32 hours, refined."};
        desk.said["quality"] = {kOneFailed, kAllPassed};
    };
    Desk desk;
    prepare(desk);
    const TaskState state = desk.answered();
    const auto journal = desk.records(desk.last);
    const auto asked = desk.model->requests.size();
    for (std::size_t length = 2; length < journal.size(); ++length) {
        CAPTURE(length);
        CAPTURE(journal[length - 1].path);
        Desk other;
        prepare(other);
        TaskSpec pinned;
        other.pin(pinned);
        other.adopt(journal, length);
        CHECK(ending(other.finish(desk.last)) == ending(state));
        CHECK(other.wait(other.commands->replay(kAnn, desk.last)).diverged == "");
        std::size_t known = 0;
        for (const storage::Record& record : std::span(journal).first(length))
            known += record.kind == storage::RecordKind::outcome && effect_of(record) == EffectKind::think;
        CHECK(other.model->requests.size() == asked - known);
    }
}

// TRACE-30 U
TEST_CASE("message: data that cannot be had is said so, and nothing is made up")
{
    Desk desk;
    desk.said["planner"] = {kTimesheetPlan, "Your hours cannot be looked up right now."};
    desk.model->answer = [before = desk.model->answer](const llm::Request& request) {
        if (request.agent == "timesheet") throw llm::ModelError(Code::upstream, "the server says no", false);
        return before(request);
    };
    const TaskState state = desk.answered();
    CHECK(ending(state) == "Your hours cannot be looked up right now.");
    const auto lines = desk.facts("agent_interaction");
    CHECK(lines[0].at("success") == false);
    CHECK(text_of(lines[0].at("error")).find("the server says no") != std::string::npos);
    CHECK_FALSE(desk.view().timesheet_data);
}

TEST_CASE("message: logs mask personal data, the answer does not")  // TRACE-26 U, TRACE-27 U, TRACE-32 U
{
    Desk desk;
    const std::string text = "You've logged 32 hours. Ask ann@mail.example or +14155550123.";
    desk.said["planner"] = {kTimesheetPlan, text, text + " refined"};
    desk.said["quality"] = {kOneFailed};
    desk.answered("I am bob@mail.example, check my 32 hours, call +14155550123");
    std::string logs;
    for (const char* kind : {"agent_interaction", "validation_failure"})
        for (const auto& line : desk.facts(kind)) logs += to_text(line) + "\n";
    CHECK(logs.find("mail.example") == std::string::npos);
    CHECK(logs.find("5550123") == std::string::npos);
    CHECK(logs.find("[EMAIL]") != std::string::npos);
    CHECK(logs.find("[PHONE]") != std::string::npos);
    CHECK(desk.view().composed_response == text + " refined");
}

TEST_CASE("message: the next turn knows what was said")  // CONV-07 U
{
    Desk desk;
    const TaskState first = desk.answered();
    const auto input = patterns::next_message_input(first);
    CHECK(to_text(input) ==
          R"({"context":{"previous_messages":[{"role":"user","content":"Check my timesheet"},)"
          R"({"role":"assistant","content":"You've logged 32/40 hours this week. Great progress!"}]}})");
    desk.last = desk.begin_message("And last week?", input);
    CHECK(desk.rest(desk.last).status == TaskStatus::completed);
    CHECK(desk.view().execution_plan->context.at("previous_messages").as_array().size() == 2);
}

TEST_CASE("message: greetings, sign-offs and emojis as the style guide has them")  // CONV-57 U
{
    Desk desk;
    desk.setup.user_name = "Ann";
    desk.said["planner"] = {kTimesheetPlan, "You've logged **32** hours. 🎉"};
    CHECK(ending(desk.answered()) == "Hi Ann, You've logged 32 hours. 🎉");
    desk.setup.style.formatting = {.greeting = false, .sign_off = true};
    desk.setup.style.emojis.enabled = false;
    CHECK(ending(desk.answered()) == "You've logged 32 hours.\n\nAcme");
    desk.setup.style.formatting = {.greeting = true, .use_user_name = false};
    CHECK(ending(desk.answered()) == "Hi! You've logged 32 hours.");
    desk.said["planner"] = {kTimesheetPlan, "Hello! 32 hours."};
    CHECK(ending(desk.answered()) == "Hello! 32 hours.");
    desk.said["planner"] = {kTimesheetPlan, "# Hours\n\n32"};
    CHECK(ending(desk.answered()) == "Hi!\n\nHours\n\n32");
}

TEST_CASE("message: e-mail has HTML beside its text, Teams a card beside its words")
{
    Desk desk;
    desk.setup.channel = built_in(Channel::email);
    desk.said["planner"] = {kTimesheetPlan, "**32** of 40 hours."};
    CHECK(ending(desk.answered()) == "**32** of 40 hours.");
    CHECK(text_of(desk.view().formatted_response->metadata.at("html")).find("<strong>32</strong>") !=
          std::string::npos);
    desk.setup.channel = built_in(Channel::teams);
    CHECK(ending(desk.answered()) == "32 of 40 hours.");
    CHECK(parse_json(desk.view().formatted_response->content).at("type") == "AdaptiveCard");
}
