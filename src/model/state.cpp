#include "model/state.hpp"

#include "base/error.hpp"
#include "model/describe.hpp"
#include "model/state_update.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::model {

namespace json = boost::json;

namespace {

[[noreturn]] void no_use(Reducer reducer, std::string_view wants)
{
    throw Error(Code::invalid, fmt::format("the reducer {} wants {}", wire_name(reducer), wants));
}

json::value appended(const json::value& old, const json::value& update)
{
    json::array list;
    if (const auto* array = old.if_array()) list = *array;
    else if (!old.is_null()) no_use(Reducer::append, "a list to append to");
    if (const auto* array = update.if_array()) list.insert(list.end(), array->begin(), array->end());
    else list.push_back(update);
    return list;
}

json::value merged(const json::value& old, const json::value& update)
{
    if ((!old.is_object() && !old.is_null()) || !update.is_object()) no_use(Reducer::merge, "two objects");
    json::object object;
    if (old.is_object()) object = old.as_object();
    for (const auto& member : update.as_object()) object[member.key()] = member.value();
    return object;
}

json::value extreme(Reducer reducer, const json::value& old, const json::value& update)
{
    if ((!old.is_number() && !old.is_null()) || !update.is_number()) no_use(reducer, "two numbers");
    if (old.is_null()) return update;
    const double before = old.to_number<double>();
    const double after = update.to_number<double>();
    return (reducer == Reducer::max ? after > before : after < before) ? update : old;
}

/// Metadata is replaced by the update's, but what the workflow declares goes through its reducer and is never dropped.
json::object reduced_metadata(const json::object& old, const json::object& update, const Dict<StateField>& declared)
{
    json::object result = update;
    for (const auto& [name, field] : declared) {
        const json::value* before = old.if_contains(name);
        const json::value* after = update.if_contains(name);
        if (after) result[name] = reduced(field.reducer, before ? *before : json::value(), *after);
        else if (before) result[name] = *before;
    }
    return result;
}

}  // namespace

std::span<const EnumName> names_of(const Reducer*)
{
    static constexpr EnumName names[] = {
        {int(Reducer::replace), "replace"}, {int(Reducer::append), "append"}, {int(Reducer::merge), "merge"},
        {int(Reducer::max), "max"},         {int(Reducer::min), "min"},
    };
    return names;
}

const Entity& describe(const StateField*)
{
    static const Entity entity{
        .name = "state_field",
        .doc = "A field of the state's metadata that a workflow declares.",
        .fields =
            {
                field("schema", &StateField::schema, "JSON Schema of its value."),
                field("reducer", &StateField::reducer, "How an update meets what is there."),
            },
        .example = R"({"schema":{"type":"array"},"reducer":"append"})",
    };
    return entity;
}

const Entity& describe(const State*)
{
    static const Entity entity{
        .name = "state",
        .doc = "What the nodes of a running graph share.",
        .fields =
            {
                field("messages", &State::messages, "Ids of the steps that make up the conversation; only appended to.",
                      {.required = true}),
                field("next_action", &State::next_action, "What is planned next."),
                field("current_agent", &State::current_agent, "Who is at work.", {.required = true}),
                field("routing_key", &State::routing_key, "Which way a condition goes."),
                field("metadata", &State::metadata, "Everything else; the workflow's own fields live here."),
            },
        .example = R"({"messages":["step_2b1f7c3e0d4a4f6b9a7c5e8d1f2a3b4c"],"next_action":"review",
            "current_agent":"writer","routing_key":null,"metadata":{"draft":1}})",
    };
    return entity;
}

json::value reduced(Reducer reducer, const json::value& old, const json::value& update)
{
    switch (reducer) {
    case Reducer::replace: return update;
    case Reducer::append: return appended(old, update);
    case Reducer::merge: return merged(old, update);
    case Reducer::max:
    case Reducer::min: return extreme(reducer, old, update);
    }
    return update;
}

json::value detail::merged(json::object fields, const json::object& update, const Dict<StateField>& declared)
{
    fields["messages"] = json::array();
    for (const auto& member : update) {
        if (member.key() == "metadata" && member.value().is_object())
            fields["metadata"] =
                reduced_metadata(fields.at("metadata").as_object(), member.value().as_object(), declared);
        else fields[member.key()] = member.value();
    }
    return fields;
}

State updated(State state, const json::object& update, const Dict<StateField>& declared)
{
    return detail::updated(std::move(state), update, declared);
}

}  // namespace cadre::model
