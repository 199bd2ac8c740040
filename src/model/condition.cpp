#include "model/condition.hpp"

#include "model/describe.hpp"
#include "model/member_schema.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::model {

namespace json = boost::json;

namespace {

const Field& field_of(const Condition& condition, const Entity& description)
{
    return *description.find(condition.field);  // catalogue_test.cpp sees to it that it is there
}

bool is_null(const void* value, const Type& type)
{
    if (type.kind == Kind::optional) return !type.find(value);
    return type.kind == Kind::any && static_cast<const json::value*>(value)->is_null();
}

bool is_empty(const void* value, const Type& type)
{
    switch (type.kind) {
    case Kind::optional: return is_empty(type.find(value), type.item());
    case Kind::string: return static_cast<const std::string*>(value)->empty();
    case Kind::list:
    case Kind::dict: return type.size(value) == 0;
    case Kind::object: return static_cast<const json::object*>(value)->empty();
    case Kind::boolean:
    case Kind::integer:
    case Kind::number:
    case Kind::time:
    case Kind::id:
    case Kind::any:
    case Kind::enumeration:
    case Kind::entity:
    case Kind::variant: break;
    }
    return false;
}

std::string_view word_of(const void* value, const Type& type)
{
    if (type.kind == Kind::optional) return word_of(type.find(value), type.item());
    if (type.kind == Kind::boolean) return *static_cast<const bool*>(value) ? "true" : "false";
    return find_name(type.names, static_cast<int>(type.get_integer(value)));
}

bool test(const Condition& condition, const void* value, const Type& type)
{
    if (is_null(value, type)) return false;
    switch (condition.test) {
    case Condition::Test::given: return true;
    case Condition::Test::filled: return !is_empty(value, type);
    case Condition::Test::one_of:
        return std::ranges::find(condition.values, word_of(value, type)) != condition.values.end();
    }
    return false;
}

bool holds_by_default(const Condition& condition, const Field& field)
{
    if (field.rule.fill != Fill::nothing) return !condition.negated;
    return test(condition, field.initial, *field.type) != condition.negated;
}

/// What a value that passes the test, negated or not, is like.
json::object value_schema(const Condition& condition, const Field& field, const Dialect& dialect)
{
    static const json::object kNull{{"type", "null"}};
    json::object schema;
    switch (condition.test) {
    case Condition::Test::given: return condition.negated ? kNull : json::object{{"not", kNull}};
    case Condition::Test::filled:
        schema = {{"not", kNull}, {"minLength", 1}, {"minItems", 1}, {"minProperties", 1}};
        break;
    case Condition::Test::one_of: {
        const Type& type = field.type->kind == Kind::optional ? field.type->item() : *field.type;
        if (type.kind == Kind::boolean) {
            json::array words;
            for (const std::string_view word : condition.values) words.emplace_back(word == "true");
            schema = {{"enum", std::move(words)}};
        } else {
            std::vector<std::string_view> words;  // in every spelling
            for (const EnumName& name : type.names)
                if (std::ranges::find(condition.values, find_name(type.names, name.value)) != condition.values.end())
                    words.push_back(name.name);
            schema = words_schema(words, dialect);
        }
        break;
    }
    }
    return condition.negated ? json::object{{"not", std::move(schema)}} : schema;
}

enum class Side : std::uint8_t { premise, conclusion };

json::object schema_of(const Condition& condition, const Entity& description, Side side, bool references)
{
    const Field& field = field_of(condition, description);
    json::object value = value_schema(condition, field, description.dialect);
    if (references && condition.test == Condition::Test::one_of) {
        if (side == Side::premise)
            value = {{"allOf", json::array{std::move(value), json::object{{"not", variable_schema()}}}}};
        else value = {{"anyOf", json::array{std::move(value), variable_schema()}}};
    }
    json::object schema = member_schema(field.name, std::move(value), description.dialect);
    if (!holds_by_default(condition, field))
        for (auto& member : has_member_schema(field.name, description.dialect)) schema.insert(member);
    return schema;
}

}  // namespace

bool holds(const Condition& condition, const void* entity, const Entity& description)
{
    const Field& field = field_of(condition, description);
    return test(condition, field.in(entity), *field.type) != condition.negated;
}

void check_demands(const void* entity, const Entity& description, const Path& path, Problems& problems)
{
    for (const Demand& demand : description.demands) {
        auto true_here = [&](const Condition& condition) { return holds(condition, entity, description); };
        if (!std::ranges::all_of(demand.when, true_here) || true_here(demand.then)) continue;
        auto sound = [&](const Condition& condition) { return problems.is_sound(Path(path, condition.field)); };
        if (!std::ranges::all_of(demand.when, sound) || !sound(demand.then)) continue;
        const bool wants_it = !demand.then.negated && demand.then.test != Condition::Test::one_of;
        problems.add(Path(path, demand.then.field), wants_it ? ProblemKind::missing : ProblemKind::other,
                     std::string(demand.says));
    }
}

json::object schema_of(const Demand& demand, const Entity& description, bool references)
{
    json::object then = schema_of(demand.then, description, Side::conclusion, references);
    if (demand.when.empty()) return then;
    json::array premises;
    for (const Condition& condition : demand.when)
        premises.emplace_back(schema_of(condition, description, Side::premise, references));
    json::value premise = premises.size() == 1 ? std::move(premises[0]) : json::object{{"allOf", std::move(premises)}};
    return {{"if", std::move(premise)}, {"then", std::move(then)}};
}

}  // namespace cadre::model
