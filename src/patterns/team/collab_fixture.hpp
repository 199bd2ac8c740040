// Collaboration patterns for tests: agents a, b, c and `chief`, whose model takes as long and says what the test wants.
#pragma once

#include "base/json.hpp"
#include "engine/test_cut.hpp"
#include "model/catalogue.hpp"
#include "model/json_schema.hpp"
#include "model/read.hpp"
#include "patterns/team/collaborate.hpp"
#include "schema/schema.hpp"

#include <boost/json.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::patterns::testing {

using engine::testing::Stage;

/// A model that takes its time, by agent.
class PacedModel final : public llm::Model {
public:
    std::string spec() const override { return "fake"; }
    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink&) override
    {
        const Millis time = pace(request);
        if (time.count() > 0) co_await sleep_for(time);
        requests.push_back(request);
        co_return answer(request);
    }

    std::function<llm::Completion(const llm::Request&)> answer;
    std::function<Millis(const llm::Request&)> pace = [](const llm::Request&) { return Millis(0); };
    std::vector<llm::Request> requests;
};

using Answer = std::function<std::string(const llm::Request&)>;
using Pace = std::function<Millis(const llm::Request&)>;

/// The whole of what a request says, by lines.
inline std::string heard_in(const llm::Request& request)
{
    std::string all;
    for (const auto& one : request.messages) all += one->text + "\n";
    return all;
}

inline model::CollaborationPattern pattern_from(std::string_view text)
{
    return model::from_text<model::CollaborationPattern>(text);
}

/// Empties the stage's team and fills it with these agents. An answer that begins with `!` is a failure.
inline void people(Stage& stage, const std::vector<std::string>& names, Answer answer, Pace pace = {})
{
    model::Team team = engine::testing::team_of({"pay"});
    for (const std::string& name : names) {
        team.agents.push_back(team.agents.front());
        team.agents.back().name = name;
    }
    stage.team = std::move(team);
    auto model = std::make_shared<PacedModel>();
    model->answer = [answer = std::move(answer)](const llm::Request& request) {
        const std::string text = answer(request);
        if (text.starts_with('!')) throw Error(Code::invalid, text.substr(1));
        return engine::testing::says(text);
    };
    if (pace) model->pace = std::move(pace);
    stage.env->models = [model](const model::LlmConfig&, const Id&, const std::string&) { return model; };
}

/// The events of a task that are of these patterns, each held against its own schema.
inline std::vector<json::object> pattern_events(const std::vector<storage::Record>& journal)
{
    std::vector<json::object> found;
    for (const storage::Record& record : journal)
        for (const std::string& text : engine::events_of(record)) {
            const json::value event = parse_json(text);
            const std::string type(event.at("type").as_string());
            if (!type.starts_with("event_parallel") && !type.starts_with("event_consensus")) continue;
            for (const model::Entity* entity : model::catalogue()) {
                if (entity->tag != type) continue;
                const auto findings = schema::Schema::compile(model::json_schema(*entity)).validate(event);
                CHECK_MESSAGE(findings.empty(), type << ": " << schema::to_text(findings));
            }
            found.push_back(event.as_object());
        }
    return found;
}

inline std::string words_in(const json::value& list)
{
    std::string words;
    for (const json::value& one : list.as_array()) words += (words.empty() ? "" : " ") + std::string(one.as_string());
    return words;
}

}  // namespace cadre::patterns::testing
