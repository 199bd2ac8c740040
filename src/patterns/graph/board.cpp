#include "patterns/graph/board.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cadre::patterns {

using model::EdgeOn;
using model::JoinPolicy;
using model::NodeType;

namespace {

/// `x` of `{{ x }}`, if the text is nothing else.
std::optional<std::string_view> only_expression(std::string_view text)
{
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    if (text.size() < 5 || !text.starts_with("{{") || !text.ends_with("}}")) return std::nullopt;
    text = text.substr(2, text.size() - 4);
    if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
    if (!text.empty() && (text.back() == '-' || text.back() == '+')) text.remove_suffix(1);
    return text;
}

/// The schema of an update of that field: where updates are appended, one element is an update too.
json::value schema_of_update(const model::StateField& field)
{
    if (field.reducer != model::Reducer::append) return field.schema;
    const json::value* items = field.schema.if_contains("items");
    if (!items) return json::object{};
    return json::object{{"anyOf", {field.schema, *items}}};
}

bool is_text(const json::value& schema)
{
    const json::object* object = schema.if_object();
    const json::value* type = object ? object->if_contains("type") : nullptr;
    if (!type) return true;
    if (const auto* list = type->if_array())
        return std::ranges::any_of(*list, [](const json::value& one) { return one == "string"; });
    return *type == "string";
}

/// Whether a text becomes the field as it is.
bool takes_text(const model::StateField& field)
{
    if (is_text(field.schema)) return true;
    const json::value* items = field.schema.if_contains("items");
    return field.reducer == model::Reducer::append && (!items || is_text(*items));
}

bool is_of_the_state(std::string_view field)
{
    return field == "routing_key" || field == "next_action";
}

/// Without the fence that models like to put around JSON.
std::string_view unfenced(std::string_view text)
{
    const std::size_t begin = text.find("```");
    if (begin == text.npos) return text;
    const std::size_t line = text.find('\n', begin);
    const std::size_t end = text.rfind("```");
    return line == text.npos || end <= line ? text : text.substr(line + 1, end - line - 1);
}

}  // namespace

// ---- arguments ----

Arguments Arguments::parse(const json::value& value, const std::string& where)
{
    Arguments parsed;
    if (const auto* text = value.if_string()) {
        if (const auto inner = only_expression(*text)) {
            try {
                parsed.of_ = text::Expression::parse(*inner, where);
                return parsed;
            } catch (const text::TemplateError&) {
                // `{{ a }} and {{ b }}`, or a mistake that the template's parser words better
            }
        }
        parsed.of_ = text::Template::parse(*text, {.name = where});
    } else if (const auto* list = value.if_array()) {
        std::vector<Arguments> items;
        for (const json::value& item : *list) items.push_back(parse(item, where));
        parsed.of_ = std::move(items);
    } else if (const auto* object = value.if_object()) {
        Members members;
        for (const auto& member : *object)
            members.emplace_back(member.key(), parse(member.value(), where + "." + std::string(member.key())));
        parsed.of_ = std::move(members);
    } else {
        parsed.of_ = value;
    }
    return parsed;
}

json::value Arguments::render(const text::Scope& names) const
{
    if (const auto* whole = std::get_if<text::Template>(&of_)) return json::value(whole->render(names));
    if (const auto* expression = std::get_if<text::Expression>(&of_)) return to_json(expression->evaluate(names));
    if (const auto* list = std::get_if<std::vector<Arguments>>(&of_)) {
        json::array items;
        for (const Arguments& item : *list) items.push_back(item.render(names));
        return items;
    }
    if (const auto* members = std::get_if<Members>(&of_)) {
        json::object object;
        for (const auto& [name, member] : *members) object[name] = member.render(names);
        return object;
    }
    return std::get<json::value>(of_);
}

// ---- ways ----

std::optional<std::size_t> Way::find(std::string_view key) const
{
    const auto named = [this](std::string_view wanted) {
        return std::ranges::find_if(keys, [&](const auto& one) { return one.first == wanted; });
    };
    auto found = named(key);
    if (found == keys.end()) found = named("*");
    return found == keys.end() ? std::nullopt : std::optional(found->second);
}

// ---- the board ----

namespace {

/// That a person adds by hand: words, or who says them besides.
json::object schema_of_message()
{
    return {{"anyOf",
             {json::object{{"type", "string"}},
              json::object{
                  {"type", "object"},
                  {"required", {"content"}},
                  {"properties", {{"content", {{"type", "string"}}}, {"role", {{"enum", {"user", "assistant"}}}}}}}}}};
}

}  // namespace

Board::Board(const model::Graph& graph) : graph_(graph), order_(model::order_of(graph))
{
    uses_reflection_ = std::ranges::find(graph.patterns, "reflection") != graph.patterns.end();
    json::object properties{{"routing_key", {{"type", {"string", "null"}}}},
                            {"next_action", {{"type", {"string", "null"}}}},
                            {"messages", {{"type", "array"}, {"items", schema_of_message()}}}};
    json::object own;
    for (const auto& [name, field] : graph.state) {
        const json::value update = schema_of_update(field);
        fields_.emplace(name, schema::Schema::compile(update));
        own[name] = update;
        if (!properties.contains(name)) properties[name] = update;
    }
    properties["metadata"] = {{"type", "object"}, {"properties", std::move(own)}, {"additionalProperties", false}};
    updates_schema_ = {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};

    nodes_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) add_node(i);
    add_ways();
    find_covered();
    find_kept_calls();
}

void Board::add_node(std::size_t place)
{
    BoardNode& node = nodes_[place];
    node.name = order_.names[place];
    node.def = graph_.nodes.find(node.name);
    const model::NodeDef& def = *node.def;
    const std::string where = graph_.name + ": " + node.name + ".";
    const auto expression = [&](const std::optional<std::string>& source, const char* field) {
        return source ? std::optional(text::Expression::parse(*source, where + field)) : std::nullopt;
    };
    if (def.prompt) node.prompt = text::Template::parse(*def.prompt, {.name = where + "prompt"});
    for (const auto& [field, source] : def.set)
        node.set.emplace_back(field, text::Expression::parse(source, where + "set." + field));
    if (!def.args.empty()) node.args = Arguments::parse(def.args, where + "args");
    if (def.loop) node.until = expression(def.loop->until, "loop.until");
    if (def.map) {
        node.over = expression(def.map->over, "map.over");
        node.key = expression(def.map->key, "map.key");
    }
    if (def.join) {
        node.policy = def.join->policy;
        if (node.policy == JoinPolicy::first) node.enough = 1;
        if (node.policy == JoinPolicy::quorum) node.enough = static_cast<std::size_t>(def.join->k.value_or(1));
    }
    const auto expect_declared = [&](const std::string& field) {
        if (!is_of_the_state(field) && !graph_.state.find(field))
            throw Error(Code::invalid, fmt::format("node '{}' sets {}, which the workflow does not declare under state",
                                                   node.name, in_quotes(field)));
    };
    for (const auto& [field, source] : def.set) expect_declared(field);
    if (def.output) expect_declared(*def.output);
    if (def.map && def.map->into) expect_declared(*def.map->into);
    const auto& stops = graph_.hitl_nodes;
    node.asks_before = def.type != NodeType::human && std::ranges::find(stops, node.name) != stops.end();
}

void Board::add_ways()
{
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
        const model::EdgeDef& edge = graph_.edges[i];
        const auto from = order_.find(edge.from);
        if (!from) continue;  // nothing leads there
        Way way{.on = edge.on};
        if (edge.condition)
            way.condition =
                text::Expression::parse(*edge.condition, fmt::format("{}: edges[{}].condition", graph_.name, i));
        if (const auto* to = edge.to.if_string()) way.to = order_.find(*to);
        if (const auto* mapping = edge.to.if_object())
            for (const auto& member : *mapping)
                way.keys.emplace_back(member.key(), *order_.find(member.value().as_string()));
        nodes_[*from].has_error_ways |= way.on == EdgeOn::error;
        nodes_[*from].ways.push_back(std::move(way));
    }
    for (BoardNode& node : nodes_) {
        const bool sets_key = node.def->set.find("routing_key") || node.def->output == "routing_key";
        std::vector<const Way*> ok;
        for (const Way& way : node.ways)
            if (way.on == EdgeOn::ok) ok.push_back(&way);
        if (node.def->type != NodeType::agent || sets_key || ok.size() != 1 || ok[0]->to || ok[0]->condition) continue;
        for (const auto& [key, to] : ok[0]->keys)
            if (key != "*") node.asked_keys.push_back(key);
    }
}

/// From the end: a failure is covered when every way on meets a join that can do with it, or a node whose own would be.
void Board::find_covered()
{
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        BoardNode& node = nodes_[i];
        bool any = false, all = true;
        const auto look = [&](std::size_t to) {
            any = true;
            all = all && (nodes_[to].policy != JoinPolicy::fail_fast || nodes_[to].is_covered);
        };
        for (const Way& way : node.ways) {
            if (way.on == EdgeOn::error) continue;
            if (way.to) look(*way.to);
            for (const auto& [key, to] : way.keys) look(to);
        }
        node.is_covered = any && all;
    }
}

void Board::find_kept_calls()
{
    for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i].def->context == model::NodeContext::full)
            for (const std::size_t before : model::ancestors(order_, i)) nodes_[before].keeps_calls = true;
}

void Board::expect_value(const std::string& field, const json::value& value, const std::string& node) const
{
    const std::string who = node.empty() ? "the input" : "node '" + node + "'";
    if (is_of_the_state(field) && !graph_.state.find(field)) {
        if (value.is_string() || value.is_null()) return;
        throw Error(Code::invalid,
                    fmt::format("{} sets {}, which is a text, to {}", who, field, in_quotes(to_text(value))));
    }
    const auto known = fields_.find(field);
    if (known == fields_.end()) return;
    const auto findings = known->second.validate(value);
    if (!findings.empty())
        throw Error(Code::invalid,
                    fmt::format("{} sets {}, but not as it is declared: {}", who, field, schema::to_text(findings)));
}

json::value Board::value_of(const std::string& field, const std::string& text, const std::string& node) const
{
    const model::StateField* declared = graph_.state.find(field);
    if (!declared || takes_text(*declared)) return json::value(text);
    try {
        return parse_json(unfenced(text));
    } catch (const Error& error) {
        throw Error(Code::invalid,
                    fmt::format("the answer of node '{}' is to become {}, which is not a text, but it is "
                                "not JSON: {}",
                                node, field, error.what()));
    }
}

// ---- workflows ----

Workflows::Workflows(model::WorkflowSetup setup) : setup_(std::move(setup))
{
    main_ = std::make_unique<Board>(setup_.graph);
    for (const auto& [name, graph] : setup_.nested) nested_.emplace(name, std::make_unique<Board>(graph));
}

const Board& Workflows::find(std::string_view name) const
{
    const auto found = nested_.find(name);
    if (found == nested_.end()) throw Error(Code::not_found, "the task is not pinned to a workflow " + in_quotes(name));
    return *found->second;
}

}  // namespace cadre::patterns
