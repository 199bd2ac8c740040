#include "engine/projections/node_states.hpp"

#include "engine/body_field.hpp"
#include "model/node_result.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

namespace {

namespace json = boost::json;

std::string_view scope_around(std::string_view path)
{
    return path.substr(0, path.rfind('/') + 1);
}

/// Members that the node, or a reducer, has set.
void put(model::State& state, const json::object& update, const json::object& reduced)
{
    const auto text = [&](std::string_view name) -> std::optional<std::string> {
        const json::value* value = update.if_contains(name);
        return value && value->is_string() ? std::optional<std::string>(value->get_string()) : std::nullopt;
    };
    if (update.contains("routing_key")) state.routing_key = text("routing_key");
    if (update.contains("next_action")) state.next_action = text("next_action");
    if (auto agent = text("current_agent")) state.current_agent = std::move(*agent);
    if (const json::value* metadata = update.if_contains("metadata"); metadata && metadata->is_object())
        for (const auto& field : metadata->get_object()) state.metadata[field.key()] = field.value();
    for (const auto& field : reduced) state.metadata[field.key()] = field.value();
}

}  // namespace

SharedState NodeStates::take(const storage::Record& done)
{
    const json::value body = json_in(done.body, done);
    if (!body.is_object() || !body.get_object().contains("next")) return nullptr;  // an attempt, a turn, a critique
    const auto result = model::from_json<model::NodeResult>(body, {.ignore_unknown = true});
    const std::string scope(scope_around(done.path));
    SharedState state;
    if (!result.state.empty()) {
        json::object whole = result.state;
        whole["messages"] = json::array();
        state = std::make_shared<const model::State>(model::from_json<model::State>(whole));
    } else {
        const auto before = result.after.empty() ? behind_.end() : behind_.find(scope + result.after.front());
        state = before == behind_.end() ? std::make_shared<const model::State>() : before->second;
        if (!result.work.update.empty() || !result.reduced.empty()) {
            model::State changed = *state;
            put(changed, result.work.update, result.reduced);
            state = std::make_shared<const model::State>(std::move(changed));
        }
    }
    behind_.insert_or_assign(done.path, state);
    last_.insert_or_assign(scope, state);
    return state;
}

SharedState NodeStates::last_in(std::string_view path) const
{
    for (std::string_view scope = scope_around(path);; scope = scope_around(scope.substr(0, scope.size() - 1))) {
        if (const auto found = last_.find(scope); found != last_.end()) return found->second;
        if (scope.empty()) return std::make_shared<const model::State>();
    }
}

}  // namespace cadre::engine
