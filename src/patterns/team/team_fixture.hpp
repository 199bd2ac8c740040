// Teams for tests: agents whose answers are functions, and whose tool `pay` must not be called twice.
#pragma once

#include "base/json.hpp"
#include "engine/test_cut.hpp"
#include "model/read.hpp"
#include "patterns/patterns.hpp"
#include "patterns/team/team.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::patterns::testing {

using engine::testing::Stage;

/// A model of one turn: whose it is and which of that agent's, from 1 on.
using Speaks = std::function<llm::Completion(const llm::Request&)>;

/// Several calls of one step: {tool, arguments}.
inline llm::Completion calls_of(std::vector<std::pair<std::string, std::string>> all, std::string text = "")
{
    llm::Completion completion{.text = std::move(text), .usage = {.input = 10, .output = 5}};
    for (auto& [tool, args] : all)
        completion.calls.push_back({.tool_name = std::move(tool), .args = parse_json(args).as_object()});
    return completion;
}

inline llm::Completion hands_over(std::string_view to, std::string_view reason = "It is your turn.",
                                  std::string text = "")
{
    const json::object args{{"to", to}, {"reason", reason}};
    return calls_of({{"handoff", to_text(args)}}, std::move(text));
}

/// Agents worker (who begins), writer, reviewer and tester, all with `pay`; `team` has what else the team says, as JSON.
inline engine::testing::Prepare prepared(std::string team, Speaks speaks)
{
    return [team = std::move(team), speaks = std::move(speaks)](Stage& stage) {
        model::Team made = engine::testing::team_of({"pay"});
        for (const char* name : {"writer", "reviewer", "tester"}) {
            made.agents.push_back(made.agents.front());
            made.agents.back().name = name;
        }
        const json::object more = parse_json(team).as_object();
        if (const auto* rules = more.if_contains("handoff_rules"))
            made.handoff_rules = model::from_json<std::vector<model::HandoffRule>>(*rules);
        if (const auto* patterns = more.if_contains("collaboration_patterns"))
            made.collaboration_patterns = model::from_json<std::vector<model::CollaborationPattern>>(*patterns);
        if (const auto* config = more.if_contains("execution_config"))
            made.execution_config = model::from_json<model::ExecutionConfig>(*config);
        if (const auto* named = more.if_contains("of_worker"))
            made.agents.front().collaboration_patterns = model::from_json<std::vector<std::string>>(*named);
        stage.team = std::move(made);
        stage.model->answer = speaks;
        add_patterns(stage.patterns);
    };
}

struct Teamwork : Stage {
    Teamwork(std::string team, Speaks speaks) : Stage(patterns::team)
    {
        prepared(std::move(team), std::move(speaks))(*this);
    }

    Id begin_team(json::object input = {})
    {
        return begin("team@1", {.description = "Go.", .agent = "worker", .input = std::move(input)});
    }
    /// The reply, or why there is none.
    std::string play_out(json::object input = {})
    {
        last = begin_team(std::move(input));
        return engine::testing::ending(finish(last));
    }
    std::vector<std::string> event_types()
    {
        std::vector<std::string> types;
        for (const storage::Record& record : records(last))
            for (const model::Event& event : engine::public_events(record, engine::Body(record)))
                types.emplace_back(model::type_of(event));
        return types;
    }
    /// Who spoke, in order.
    std::string speakers() const
    {
        std::string all;
        for (const llm::Request& request : model->requests) all += (all.empty() ? "" : " ") + request.agent;
        return all;
    }
    static std::vector<std::string> heard(const llm::Request& request)
    {
        std::vector<std::string> texts;
        for (const auto& one : request.messages) texts.push_back(one->text);
        return texts;
    }

    Id last{};
};

}  // namespace cadre::patterns::testing
