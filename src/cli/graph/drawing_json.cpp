#include "cli/graph/drawing_json.hpp"

#include "base/json_writer.hpp"
#include "engine/task_state.hpp"
#include "model/wire_name.hpp"

namespace cadre::cli {
namespace {

void write_state(JsonWriter& json, const engine::NodeState& state)
{
    json.field("status", engine::name_of(state.status));
    if (state.started) json.field("started_at", to_iso(*state.started));
    if (state.ended) json.field("ended_at", to_iso(*state.ended));
    if (state.turns > 0) json.field("turns", state.turns);
    if (state.attempts > 0) json.field("attempts", state.attempts);
    if (state.branches > 0) json.field("branches", state.branches).field("branches_at_work", state.at_work);
    if (!state.error.empty()) json.field("error", state.error);
}

void write_drawing(JsonWriter& json, const Drawing& drawing)
{
    json.field("kind", drawing.kind).field("name", drawing.name).key("nodes").begin_array();
    for (const DrawnNode& node : drawing.nodes) {
        json.begin_object().field("name", node.name).field("type", node.type).field("about", node.about);
        if (!node.notes.empty()) {
            json.key("notes").begin_array();
            for (const std::string& note : node.notes) json.value(note);
            json.end_array();
        }
        if (node.state) write_state(json, *node.state);
        json.end_object();
    }
    json.end_array().key("edges").begin_array();
    for (const DrawnEdge& edge : drawing.edges) {
        json.begin_object().field("from", drawing.nodes[edge.from].name).field("to", drawing.nodes[edge.to].name);
        if (!edge.label.empty()) json.field("label", edge.label);
        json.end_object();
    }
    json.end_array();
    if (drawing.groups.empty()) return;
    json.key("groups").begin_array();
    for (const DrawnGroup& group : drawing.groups) {
        json.begin_object().field("name", group.name).field("about", group.about).key("nodes").begin_array();
        for (const std::size_t node : group.nodes) json.value(drawing.nodes[node].name);
        json.end_array().end_object();
    }
    json.end_array();
}

}  // namespace

std::string drawing_json(const Drawing& drawing, std::span<const Drawing> nested, const engine::TaskState* task)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    if (task)
        json.key("task")
            .begin_object()
            .field("id", to_string(task->id))
            .field("status", model::wire_name(task->status))
            .end_object();
    write_drawing(json, drawing);
    json.key("nested").begin_array();
    for (const Drawing& one : nested) {
        json.begin_object();
        write_drawing(json, one);
        json.end_object();
    }
    json.end_array().end_object();
    return text;
}

std::string node_json(const DrawnNode& node, const std::string& workflow)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("workflow", workflow).field("node", node.name);
    if (node.state) write_state(json, *node.state);
    json.end_object();
    return text;
}

}  // namespace cadre::cli
