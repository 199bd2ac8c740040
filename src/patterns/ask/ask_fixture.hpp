// Questions for tests: four domains of a shop, tools that are functions, models that decide and answer as they are told.
#pragma once

#include "base/json.hpp"
#include "engine/test_cut.hpp"
#include "model/ask_setup.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "patterns/ask/ask.hpp"
#include "patterns/patterns.hpp"

#include <boost/json.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::patterns::testing {

using engine::testing::FakeTool;
using engine::testing::Stage;

inline const std::vector<std::string> kShop{"customer_behavior", "inventory", "pricing", "marketing"};

inline std::string decision_text(std::string_view domains, double confidence = 0.9, bool clarify = false)
{
    boost::json::array names;
    for (std::size_t at = 0; at < domains.size();) {
        const std::size_t end = std::min(domains.find(' ', at), domains.size());
        names.emplace_back(domains.substr(at, end - at));
        at = end + 1;
    }
    return to_text(boost::json::object{{"identified_domains", std::move(names)},
                                       {"reasoning", "It is about these."},
                                       {"confidence", confidence},
                                       {"clarification_needed", clarify}});
}

/// Each domain NAME is related to all others, can do `NAME analysis`, and has the tool `query_NAME`.
inline model::AskSetup shop(std::vector<std::string> names = kShop)
{
    model::AskSetup setup;
    for (const std::string& name : names) {
        model::domains::Domain domain{.name = name,
                                      .display_name = "The " + name,
                                      .description = "All about " + name + ".",
                                      .capabilities = {name + " analysis"},
                                      .mcp_tools = {"query_" + name}};
        for (const std::string& other : names)
            if (other != name) domain.related_domains.push_back(other);
        setup.domains.push_back(std::move(domain));
    }
    return setup;
}

struct Asking : Stage {
    explicit Asking(model::AskSetup given = shop(), model::Effect effect = model::Effect::pure)
        : Stage(patterns::ask), setup(std::move(given))
    {
        add_patterns(patterns);
        const model::Agent worker = team->agents.front();
        team->agents.clear();
        for (const char* name : {"router", "analyst", "domains"}) {
            team->agents.push_back(worker);
            team->agents.back().name = name;
            team->agents.back().tools.clear();
        }
        team->agents.push_back(worker);  // whoever pins the team of another world is called so
        for (const model::domains::Domain& domain : setup.domains)
            for (const std::string& tool : domain.mcp_tools) {
                team->agents[2].tools.push_back(tool);
                auto& made = tools[tool] = add_tool(tool, effect);
                made->answer = [name = domain.name](const tools::Call&) {
                    return cadre::tools::Result{.text = to_text(boost::json::object{{"answer", name + " is fine"},
                                                                                    {"conversation_id", "c_" + name}})};
                };
            }
        model->answer = [this](const llm::Request& request) {
            return engine::testing::says(request.agent == "router" ? decides(request) : answers(request));
        };
    }

    /// So that the journal of another world can be resumed here.
    void pin(engine::TaskSpec& spec) { wait(host->teams().pin_setup(model::to_json_text(setup), spec)); }
    Id begin_ask(std::string question = "How are we doing?", boost::json::object input = {})
    {
        engine::TaskSpec spec{.description = std::move(question), .agent = "analyst"};
        spec.input = std::move(input);
        pin(spec);
        return begin("ask@1", std::move(spec));
    }
    model::Reply ask_out(std::string question = "How are we doing?", boost::json::object input = {})
    {
        last = begin_ask(std::move(question), std::move(input));
        const engine::TaskState state = finish(last);
        REQUIRE_MESSAGE(state.reply, state.error);
        const model::Reply reply = *state.reply;
        CHECK(wait(commands->replay(engine::testing::kAnn, last)).diverged == "");
        // whatever happens, it is an answer as the document has it
        const auto view = model::domains::view(reply);
        CHECK(model::problems_of(view).list().empty());
        return reply;
    }
    /// `inventory completed, pricing timeout`
    static std::string statuses(const model::Reply& reply)
    {
        std::string all;
        for (const model::Call& call : reply.calls) {
            std::string status = model::to_json_text(call.status);
            std::erase(status, '"');
            all += (all.empty() ? "" : ", ") + call.domain.value_or("") + " " + status;
        }
        return all;
    }
    int asked_as(std::string_view agent) const
    {
        int count = 0;
        for (const llm::Request& request : model->requests) count += request.agent == agent;
        return count;
    }

    model::AskSetup setup;
    std::map<std::string, std::shared_ptr<FakeTool>> tools;
    std::function<std::string(const llm::Request&)> decides = [](const llm::Request&) {
        return decision_text("customer_behavior inventory");
    };
    std::function<std::string(const llm::Request&)> answers = [](const llm::Request&) {
        return std::string(
            R"({"answer":"All is well.","suggestions":[{"domain":"pricing","text":"Shall I look at prices?"}]})");
    };
    Id last{};
};

}  // namespace cadre::patterns::testing
