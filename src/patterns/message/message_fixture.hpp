// Messages for tests: a home with the four agents, whose models say what they are told.
#pragma once

#include "base/json.hpp"
#include "engine/test_seams.hpp"
#include "model/message_setup.hpp"
#include "model/views/conversation_log.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "patterns/message/message.hpp"
#include "patterns/message/message_view.hpp"
#include "patterns/patterns.hpp"

#include <boost/json.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cadre::patterns::testing {

using engine::testing::Seams;
using model::conversation::Channel;

inline constexpr const char* kTimesheetPlan =
    R"json({"steps":[{"agent":"timesheet","action":"extract_hours","parameters":{}},
    {"agent":"planner","action":"compose_response","parameters":{}},
    {"agent":"branding","action":"format_for_channel","parameters":{}},
    {"agent":"quality","action":"validate","parameters":{}}],"requires_timesheet_data":true,
    "scorecard":{"criteria":[{"id":"answers_question","description":"Response answers user's question about timesheet hours",
    "expected":"Response includes hours logged information"},{"id":"correct_format",
    "description":"Response is plain text without markdown (SMS channel)","expected":"No markdown symbols in response"}]}})json";

inline constexpr const char* kAllPassed =
    R"([{"id":"answers_question","passed":true},{"id":"correct_format","passed":true},{"id":"other","passed":false}])";
inline constexpr const char* kOneFailed =
    R"([{"id":"answers_question","passed":false,"feedback":"name the hours"},{"id":"correct_format","passed":true}])";

inline constexpr const char* kHours = "You've logged 32/40 hours this week. Great progress!";

/// The worked example of document 001, unless a test says otherwise: what each agent says, turn by turn; the last is said again.
struct Desk : Seams {
    Desk() : Seams(patterns::message)
    {
        add_patterns(patterns);
        const model::Agent worker = team->agents.front();
        team->agents.clear();
        for (const char* name : {"planner", "timesheet", "branding", "quality", "worker"}) {
            team->agents.push_back(worker);
            team->agents.back().name = name;
            team->agents.back().role = std::string("Is ") + name + ".";
            team->agents.back().tools.clear();
        }
        setup.channel = built_in(Channel::sms);
        setup.style = {.version = "1", .brand_name = "Acme", .personality = "precise"};
        said["planner"] = {kTimesheetPlan, kHours};
        said["timesheet"] = {R"({"hours_logged": 32, "hours_target": 40})"};
        said["quality"] = {kAllPassed};
        model->answer = [this](const llm::Request& request) {
            const auto& all = said[request.agent];
            REQUIRE_MESSAGE(!all.empty(), request.agent);
            const auto n = static_cast<std::size_t>(nth(request));
            return engine::testing::says(all[std::min(n, all.size() - 1)]);
        };
    }
    ~Desk() { crash(); }

    /// Which turn of its agent it is, by what it is asked: so it is the same after a crash.
    static int nth(const llm::Request& request)
    {
        const std::string& asked = request.messages.front()->text;
        const bool again = request.messages.size() > 1;
        if (request.agent == "quality") return asked.find("refined") != asked.npos ? 1 : 0;
        if (request.agent != "planner") return 0;
        if (asked.find("Do not answer it yet") != asked.npos) return again ? 10 : 0;
        return asked.find("It cannot be sent like that") != asked.npos ? 2 : 1;
    }

    void pin(engine::TaskSpec& spec) { wait(host->teams().pin_setup(model::to_json_text(setup), spec)); }
    Id begin_message(std::string text = "Check my timesheet", boost::json::object input = {})
    {
        engine::TaskSpec spec{.description = std::move(text), .agent = "planner"};
        spec.input = std::move(input);
        pin(spec);
        return begin("message@1", std::move(spec));
    }
    engine::TaskState answered(std::string text = "Check my timesheet")
    {
        last = begin_message(std::move(text));
        engine::TaskState state = rest(last);
        CHECK(state.finished());
        CHECK(wait(commands->replay(engine::testing::kAnn, last)).diverged == "");
        return state;
    }
    model::conversation::MultiAgentWorkflowState view() { return message_state(state(last), records(last)); }
    std::string phases()
    {
        std::string all;
        for (const model::Phase phase : phases_of(state(last), records(last)))
            all += (all.empty() ? "" : " ") + std::string(model::wire_name(phase));
        return all;
    }
    /// All facts of that name.
    std::vector<boost::json::object> facts(std::string_view what)
    {
        std::vector<boost::json::object> found;
        for (const storage::Record& record : records(last)) {
            if (record.kind != storage::RecordKind::outcome ||
                engine::effect_of(record) != engine::EffectKind::announce)
                continue;
            const auto outcome = engine::body_of<engine::OutcomeBody>(record);
            const auto& announced = std::get<engine::AnnounceOutcome>(outcome.of);
            if (announced.what.str() == what) found.push_back(parse_json(announced.fact.text).as_object());
        }
        return found;
    }
    int asked_as(std::string_view agent) const
    {
        int count = 0;
        for (const llm::Request& request : model->requests) count += request.agent == agent;
        return count;
    }

    model::MessageSetup setup;
    std::map<std::string, std::vector<std::string>, std::less<>> said;
    Id last{};
};

}  // namespace cadre::patterns::testing
