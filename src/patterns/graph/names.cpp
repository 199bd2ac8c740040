// The names that templates and expressions of a workflow know.
#include "base/json.hpp"
#include "patterns/graph/visit.hpp"

#include <boost/json.hpp>

namespace cadre::patterns {

namespace {

text::Value state_value(const Visit& visit)
{
    const model::State& state = *visit.state;
    std::vector<text::Value::Entry> members;
    const auto add = [&](std::string_view name, text::Value value) { members.push_back({name, std::move(value)}); };
    const auto optional = [](const std::optional<std::string>& one) {
        return one ? text::Value(*one) : text::Value(nullptr);
    };
    for (const auto& [name, field] : visit.graph().state)
        if (!state.metadata.contains(name)) add(name, nullptr);  // declared, and not set yet
    for (const auto& field : state.metadata) add(std::string_view(field.key()), text::from_json(field.value()));
    add("next_action", optional(state.next_action));
    add("routing_key", optional(state.routing_key));
    add("current_agent", state.current_agent);
    add("metadata", text::from_json(state.metadata));
    return text::Value::dict(std::move(members));
}

std::string answer_of(const model::NodeWork& work)
{
    for (std::size_t i = work.said.size(); i-- > 0;)
        if (work.said[i].role != model::Role::tool) return work.said[i].text;
    return "";
}

/// What the text says as JSON, or the text.
text::Value result_of(const std::string& text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == text.npos || std::string_view("{[\"-0123456789tfn").find(text[begin]) == std::string_view::npos)
        return text;
    try {
        return text::from_json(parse_json(text));
    } catch (const Error&) {
        return text;
    }
}

/// All but the visit's own.
void add_names(text::Scope& names, const engine::Run& run, const Visit& visit)
{
    const std::vector<Heard> heard = visit.heard();
    json::object answers;
    for (const Heard& one : heard)
        if (one.said->role != model::Role::tool) answers[one.node] = one.said->text;

    const Setting& setting = visit.walk.setting();
    names.set("task", text::Value::dict({{"id", to_string(run.task())},
                                         {"description", setting.task},
                                         {"input", text::from_json(run.input())}}));
    names.set("state", state_value(visit));
    names.set("last", last_of(heard, setting.last));
    names.set("answers", text::from_json(answers));
    names.set("errors", text::from_json(visit.walk.errors_at(visit.place, visit.counted)));
    names.set("team", text::Value::dict({{"name", run.team().name}}));
    names.set("agent", text::Value::dict({{"name", visit.def().agent.value_or("")}}));
    for (const auto& name : setting.names) names.set(name.key(), text::from_json(name.value()));
}

}  // namespace

text::Scope names_for(const engine::Run& run, const Visit& visit, const model::NodeWork* work)
{
    text::Scope names(visit.shared_names.get());
    if (!visit.shared_names) add_names(names, run, visit);
    for (const auto& name : visit.names) names.set(name.key(), text::from_json(name.value()));
    if (work) {
        const std::string answer = answer_of(*work);
        names.set("answer", answer);
        names.set("result", result_of(answer));
        if (!answer.empty()) names.set("last", answer);
    }
    return names;
}

void set_fields(const engine::Run& run, const Visit& visit, model::NodeWork& work)
{
    const Board& board = visit.walk.board();
    json::object update;
    const auto put = [&](const std::string& field, json::value value) {
        board.expect_value(field, value, visit.node().name);
        update[field] = std::move(value);
    };
    if (const auto& output = visit.def().output)
        put(*output, board.value_of(*output, answer_of(work), visit.node().name));
    if (!visit.node().set.empty()) {
        const text::Scope names = names_for(run, visit, &work);
        for (const auto& [field, expression] : visit.node().set) put(field, to_json(expression.evaluate(names)));
    }
    if (update.empty()) return;
    work.update = model::composed(std::move(work.update),
                                  model::with_own_fields(std::move(update), board.graph().state), board.graph().state);
}

}  // namespace cadre::patterns
