// Workflows for tests: a stage whose agents say what they heard, and whose tool `pay` must not be called twice.
#pragma once

#include "base/json.hpp"
#include "engine/test_cut.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "patterns/graph/graph.hpp"
#include "patterns/patterns.hpp"

#include <boost/json.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::patterns::testing {

using engine::testing::Stage;

/// `a>b b>c` and other edges as JSON.
inline json::array edges_from(std::string_view words)
{
    json::array edges;
    for (std::size_t at = 0; at < words.size();) {
        const std::size_t end = std::min(words.find(' ', at), words.size());
        const std::string_view one = words.substr(at, end - at);
        at = end + 1;
        const std::size_t arrow = one.find('>');
        if (arrow != one.npos) edges.push_back({{"from", one.substr(0, arrow)}, {"to", one.substr(arrow + 1)}});
    }
    return edges;
}

struct Sketch {
    std::string nodes{};            // members of an object
    std::string edges{};            // `a>b b>c`
    std::string more_edges = "[]";  // as JSON
    std::string more = "{}";        // members of the workflow beyond these
    std::string nested = "{}";      // other workflows by name
};

inline model::WorkflowSetup workflow(const Sketch& sketch)
{
    json::object graph = parse_json(sketch.more).as_object();
    const json::object nodes = parse_json("{" + sketch.nodes + "}").as_object();
    json::array edges = edges_from(sketch.edges);
    const json::value more_edges = parse_json(sketch.more_edges);
    for (const json::value& edge : more_edges.as_array()) edges.push_back(edge);
    graph["name"] = "flow";
    if (!graph.contains("patterns")) graph["patterns"] = json::array{"react"};
    if (!graph.contains("entry_point")) graph["entry_point"] = nodes.begin()->key();
    graph["nodes"] = nodes;
    graph["edges"] = std::move(edges);
    return model::from_json<model::WorkflowSetup>(
        json::object{{"graph", std::move(graph)}, {"nested", parse_json(sketch.nested)}});
}

inline std::function<Async<model::Reply>(engine::Run&)> pattern_of(model::WorkflowSetup setup)
{
    return [setup = std::move(setup)](engine::Run& run) { return run_workflow(run, setup); };
}

/// Agents a, b, c and worker; each says its name and how many messages it heard, unless `answer` says otherwise.
inline void prepare(Stage& stage)
{
    model::Team team = engine::testing::team_of({"pay"});
    for (const char* name : {"a", "b", "c"}) {
        team.agents.push_back(team.agents.front());
        team.agents.back().name = name;
    }
    stage.team = team;
    stage.model->answer = [](const llm::Request& request) {
        return engine::testing::says(request.agent + " heard " + std::to_string(request.messages.size()));
    };
}

struct Flowing : Stage {
    explicit Flowing(const Sketch& sketch)
        : Stage(pattern_of(workflow(sketch))), setup(model::to_json_text(workflow(sketch)))
    {
        prepare(*this);
        add_patterns(patterns);
    }

    Id begin_flow(json::object input = {}, json::object overrides = {})
    {
        engine::TaskSpec spec{.description = "Go.", .agent = "worker"};
        spec.input = std::move(input);
        spec.overrides = std::move(overrides);
        wait(host->teams().pin_setup(setup, spec));
        return begin("graph@1", std::move(spec));
    }
    /// The reply, or why there is none.
    std::string play_out(json::object input = {})
    {
        return engine::testing::ending(finish(begin_flow(std::move(input))));
    }
    /// The texts of a request.
    static std::vector<std::string> heard(const llm::Request& request)
    {
        std::vector<std::string> texts;
        for (const auto& one : request.messages) texts.push_back(one->text);
        return texts;
    }
    /// Answers the only open question.
    void reply_to(Id id, model::HumanAnswer answer)
    {
        const auto open = state(id).questions;
        REQUIRE(open.size() == 1);
        wait(commands->answer(engine::testing::kAnn, id, open[0].request.id, std::move(answer)));
    }

    std::string setup;
};

}  // namespace cadre::patterns::testing
