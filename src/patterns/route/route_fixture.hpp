// Requests for tests: a home with three agents, whose models decide and answer as they are told.
#pragma once

#include "base/json.hpp"
#include "engine/test_seams.hpp"
#include "model/route_setup.hpp"
#include "model/write.hpp"
#include "patterns/patterns.hpp"
#include "patterns/route/route.hpp"

#include <boost/json.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::patterns::testing {

using engine::testing::Stage;

inline std::string choice_text(std::string_view agent, double confidence, std::string_view more = "")
{
    boost::json::object choice{{"agentId", agent}, {"confidence", confidence}, {"reasoning", "lights"}};
    if (!more.empty()) choice["additionalAgents"] = boost::json::array{more};
    return to_text(choice);
}

/// light_agent, music_agent and climate_agent; a router that says what `choices` have, one after the other.
struct SmartHome : Stage {
    explicit SmartHome(std::vector<std::string> said = {choice_text("light-agent", 0.95)},
                       std::vector<std::string> more_agents = {})
        : Stage(patterns::route), choices(std::move(said))
    {
        add_patterns(patterns);
        const model::Agent worker = team->agents.front();
        team->agents.clear();
        more_agents.insert(more_agents.begin(), {"light_agent", "music_agent", "climate_agent", "router", "worker"});
        for (const std::string& name : more_agents) {
            team->agents.push_back(worker);
            team->agents.back().name = name;
            team->agents.back().role = "About " + name + ".";
        }
        team->agents[0].card = {.description = "Lighting control",
                                .tags = {"lights", "scenes"},
                                .skills = {{.name = "on", .examples = {"Turn on the light"}}}};
        model->answer = [this](const llm::Request& request) {
            if (request.agent == "router") return engine::testing::says(next_choice());
            const auto found = answers.find(request.agent);
            return found == answers.end() ? engine::testing::says(request.agent + " is done.")
                                          : engine::testing::says(found->second(request));
        };
    }

    std::string next_choice()
    {
        const std::size_t n = std::min<std::size_t>(static_cast<std::size_t>(asked_as("router")), choices.size());
        return choices[n - 1];
    }
    void pin(engine::TaskSpec& spec) { wait(host->teams().pin_setup(model::to_json_text(setup), spec)); }
    Id begin_route(std::string request = "Turn on the kitchen lights", boost::json::object input = {})
    {
        engine::TaskSpec spec{.description = std::move(request), .agent = "light_agent"};
        spec.input = std::move(input);
        pin(spec);
        return begin("route@1", std::move(spec));
    }
    engine::TaskState route_out(std::string request = "Turn on the kitchen lights")
    {
        last = begin_route(std::move(request));
        engine::TaskState state = rest(last);
        if (state.finished()) CHECK(wait(commands->replay(engine::testing::kAnn, last)).diverged == "");
        return state;
    }
    /// Answers what is asked.
    engine::TaskState say(std::string text)
    {
        const auto open = state(last).questions;
        REQUIRE(open.size() == 1);
        model::HumanAnswer answer;
        answer.message = std::move(text);
        wait(commands->answer(engine::testing::kAnn, last, open[0].request.id, std::move(answer)));
        return rest(last);
    }
    int asked_as(std::string_view agent) const
    {
        int count = 0;
        for (const llm::Request& request : model->requests) count += request.agent == agent;
        return count;
    }
    /// All that the n-th request of the router said, from 1 on.
    std::string told_router(int n) const
    {
        std::string all;
        for (const llm::Request& request : model->requests) {
            if (request.agent != "router" || --n != 0) continue;
            for (const auto& message : request.messages) all += message->text + "\n";
        }
        return all;
    }
    /// The n-th AgentResponse, from 0 on.
    static boost::json::object response(const engine::TaskState& state, std::size_t n)
    {
        REQUIRE(state.reply);
        return state.reply->formatted->at("responses").as_array().at(n).as_object();
    }

    model::RouteSetup setup;
    std::vector<std::string> choices;
    std::map<std::string, std::function<std::string(const llm::Request&)>> answers;
    Id last{};
};

}  // namespace cadre::patterns::testing
