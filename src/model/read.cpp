#include "model/read.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/id.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "model/format.hpp"
#include "model/rules.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <cmath>
#include <limits>

namespace cadre::model {

namespace {

/// More fields than any entity has; which of them were given is kept in a bitset of this size.
constexpr std::size_t kMaxFields = 64;

bool same_name(std::string_view a, std::string_view b, bool any_case)
{
    return any_case ? same_in_any_case(a, b) : a == b;
}

std::string_view kind_of(const json::value& value)
{
    switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "true or false";
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_: return "a number";
    case json::kind::string: return "text";
    case json::kind::array: return "a list";
    case json::kind::object: return "an object";
    }
    return {};
}

class Reader {
public:
    Reader(Problems& problems, const ReadOptions& options) : problems_(problems), options_(options) {}

    void entity(const json::value& value, void* out, const Entity& entity, const Path& path)
    {
        json::value plain;
        const bool other_form = entity.accept && entity.accept(value, plain);
        const json::object* object = (other_form ? plain : value).if_object();
        if (!object) return wrong(value, "an object", path);
        std::bitset<kMaxFields> given;
        std::size_t next = 0;  // members mostly come in the order of the description
        for (const auto& member : *object) {
            const std::size_t i = index_of(entity, member.key(), next);
            if (i == entity.fields.size()) {
                unknown(member, entity, path);
                continue;
            }
            const Field& field = entity.fields[i];
            if (given[i]) {  // only where names are read in any case: the parser refuses equal ones
                problems_.add(Path(path, field.name), ProblemKind::duplicate, "is here twice; remove one of them");
                continue;
            }
            given[i] = true;
            next = i + 1;
            this->field(member.value(), field.in(out), field, Path(path, field.name), entity.dialect);
        }
        for (std::size_t i = 0; i < entity.fields.size(); ++i)
            if (!given[i]) missing(entity.fields[i], out, path);
        if (!options_.stored) check_between(out, entity, path, problems_);
    }

    void value(const json::value& value, void* out, const Type& type, const Path& path, const Dialect& dialect)
    {
        switch (type.kind) {
        case Kind::string:
            if (const auto* text = value.if_string()) *static_cast<std::string*>(out) = std::string_view(*text);
            else wrong(value, "text", path);
            break;
        case Kind::boolean:
            if (const auto* flag = value.if_bool()) *static_cast<bool*>(out) = *flag;
            else wrong(value, "true or false", path);
            break;
        case Kind::integer: integer(value, out, type, path, dialect); break;
        case Kind::number: number(value, *static_cast<double*>(out), path, dialect); break;
        case Kind::time: time(value, *static_cast<Time*>(out), path); break;
        case Kind::id: id(value, *static_cast<Id*>(out), path); break;
        case Kind::any: *static_cast<json::value*>(out) = value; break;
        case Kind::object:
            if (const auto* object = value.if_object()) *static_cast<json::object*>(out) = *object;
            else wrong(value, "an object", path);
            break;
        case Kind::enumeration: enumeration(value, out, type, path, dialect); break;
        case Kind::optional:
            if (value.is_null()) type.clear(out);
            else this->value(value, type.emplace(out), type.item(), path, dialect);
            break;
        case Kind::list: list(value, out, type, path, dialect); break;
        case Kind::dict: dict(value, out, type, path, dialect); break;
        case Kind::entity: entity(value, out, type.entity(), path); break;
        case Kind::variant: variant(value, out, type, path); break;
        }
    }

private:
    static std::size_t index_of(const Entity& entity, std::string_view name, std::size_t guess)
    {
        if (guess < entity.fields.size() && entity.fields[guess].name == name) return guess;
        std::size_t i = 0;
        while (i < entity.fields.size() && !same_name(entity.fields[i].name, name, entity.dialect.any_case)) ++i;
        return i;
    }

    void wrong(const json::value& value, std::string_view wanted, const Path& path)
    {
        problems_.add(path, fmt::format("must be {}, is {}", wanted, kind_of(value)));
    }

    void unknown(const json::key_value_pair& member, const Entity& entity, const Path& path)
    {
        if (!entity.tag.empty() && member.key() == "type") return tag(member.value(), entity, path);
        if (options_.ignore_unknown || std::ranges::count(entity.ignored, std::string_view(member.key())) > 0) return;
        std::vector<std::string> names;
        names.reserve(entity.fields.size());
        for (const Field& field : entity.fields) names.emplace_back(field.name);
        problems_.add_unknown_field(path, member.key(), entity.name, names);
    }

    void tag(const json::value& value, const Entity& entity, const Path& path)
    {
        const json::string* text = value.if_string();
        if (!text || *text != entity.tag) problems_.add(Path(path, "type"), fmt::format("must be \"{}\"", entity.tag));
    }

    void missing(const Field& field, void* out, const Path& path)
    {
        if (field.rule.required) {
            problems_.add(Path(path, field.name), ProblemKind::missing, "is required");
            return;
        }
        fill(field.rule.fill, field.in(out), *field.type);
    }

    void fill(Fill what, void* out, const Type& type)
    {
        if (what == Fill::nothing) return;
        if (type.kind == Kind::optional) return fill(what, type.emplace(out), type.item());
        if (what == Fill::now) {
            const Clock& clock = options_.clock ? *options_.clock : system_clock();
            *static_cast<Time*>(out) = clock.now();
            return;
        }
        const Id id = new_id(options_.random ? *options_.random : system_random());
        *static_cast<std::string*>(out) = what == Fill::uuid      ? to_string(id)
                                          : what == Fill::step_id ? to_prefixed("step_", id)
                                                                  : to_prefixed("tc_", id);
    }

    void field(const json::value& value, void* out, const Field& field, const Path& path, const Dialect& dialect)
    {
        const std::size_t before = problems_.count();
        this->value(value, out, *field.type, path, dialect);
        if (problems_.count() != before) return;
        if (options_.stored) move_into_range(out, *field.type, field.rule);
        else check_rule(out, *field.type, field.rule, path, problems_);
    }

    void integer(const json::value& value, void* out, const Type& type, const Path& path, const Dialect& dialect)
    {
        std::int64_t number = 0;
        if (const auto* text = dialect.numbers_from_strings ? value.if_string() : nullptr) {
            const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
            if (error != std::errc{} || end != text->data() + text->size()) return wrong(value, "a whole number", path);
        } else if (const auto* whole = value.if_int64()) {
            number = *whole;
        } else if (const auto* real = value.if_double();
                   real && std::abs(*real) < 0x1p63 && *real == std::trunc(*real)) {
            number = static_cast<std::int64_t>(*real);  // 2.0 is a whole number, whoever printed it
        } else {
            return value.is_number() ? problems_.add(path, "must be a whole number of at most 64 bits")
                                     : wrong(value, "a whole number", path);
        }
        if (type.set_integer(out, number)) return;
        if (options_.stored) type.set_integer(out, number < 0 ? 0 : std::numeric_limits<int>::max());
        else problems_.add(path, fmt::format("{} is out of range", number));
    }

    void number(const json::value& value, double& out, const Path& path, const Dialect& dialect)
    {
        if (const auto* text = dialect.numbers_from_strings ? value.if_string() : nullptr) {
            const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), out);
            if (error != std::errc{} || end != text->data() + text->size() || !std::isfinite(out))
                wrong(value, "a number", path);
        } else if (value.is_number()) {
            out = value.to_number<double>();
        } else {
            wrong(value, "a number", path);
        }
    }

    void time(const json::value& value, Time& out, const Path& path)
    {
        const auto* text = value.if_string();
        if (!text) return wrong(value, "a time like 2025-11-02T10:30:00Z", path);
        try {
            out = time_from_iso(*text);
        } catch (const Error& error) {
            problems_.add(path, error.what());
        }
    }

    void id(const json::value& value, Id& out, const Path& path)
    {
        const auto* text = value.if_string();
        const auto found = text ? find_id(*text) : std::nullopt;
        if (found) out = *found;
        else if (text) problems_.add(path, in_quotes(*text) + " is not " + std::string(name_of(Format::uuid)));
        else wrong(value, name_of(Format::uuid), path);
    }

    void enumeration(const json::value& value, void* out, const Type& type, const Path& path, const Dialect& dialect)
    {
        const auto* text = value.if_string();
        if (!text) return wrong(value, "text", path);
        for (const EnumName& name : type.names)
            if (same_name(name.name, *text, dialect.any_case)) {
                type.set_integer(out, name.value);
                return;
            }
        std::vector<std::string> names;
        std::string all;
        for (const EnumName& name : type.names) {
            names.emplace_back(name.name);
            all += (all.empty() ? "" : ", ") + std::string(name.name);
        }
        problems_.add(path,
                      fmt::format("{} is none of {}{}", in_quotes(*text), all, problems_.suggestion(*text, names)));
    }

    void list(const json::value& value, void* out, const Type& type, const Path& path, const Dialect& dialect)
    {
        const auto* array = value.if_array();
        if (!array) return wrong(value, "a list", path);
        type.clear(out);
        for (std::size_t i = 0; i < array->size(); ++i)
            this->value((*array)[i], type.append(out), type.item(), Path(path, i), dialect);
    }

    void dict(const json::value& value, void* out, const Type& type, const Path& path, const Dialect& dialect)
    {
        const auto* object = value.if_object();
        if (!object) return wrong(value, "an object", path);
        type.clear(out);
        for (const auto& member : *object)
            this->value(member.value(), type.insert(out, member.key()), type.item(), Path(path, member.key()), dialect);
    }

    void variant(const json::value& value, void* out, const Type& type, const Path& path)
    {
        const auto* object = value.if_object();
        if (!object) return wrong(value, "an object", path);
        const auto* tag = object->if_contains("type");
        if (!tag) return problems_.add(Path(path, "type"), ProblemKind::missing, "is required");
        const auto* text = tag->if_string();
        if (!text) return wrong(*tag, "text", Path(path, "type"));
        for (std::size_t i = 0; i < type.alternatives; ++i)
            if (type.alternative(i).tag == std::string_view(*text))
                return entity(value, type.activate(out, i), type.alternative(i), path);
        std::vector<std::string> names;
        names.reserve(type.alternatives);
        for (std::size_t i = 0; i < type.alternatives; ++i) names.emplace_back(type.alternative(i).tag);
        problems_.add(Path(path, "type"),
                      fmt::format("{} is unknown{}", in_quotes(*text), problems_.suggestion(*text, names)));
    }

    Problems& problems_;
    const ReadOptions& options_;
};

}  // namespace

const Field* Entity::find(std::string_view field_name) const
{
    for (const Field& field : fields)
        if (field.name == field_name) return &field;
    return nullptr;
}

void read(const json::value& value, void* entity, const Entity& description, const Path& path, Problems& problems,
          const ReadOptions& options)
{
    Reader(problems, options).entity(value, entity, description, path);
}

void read_value(const json::value& value, void* out, const Type& type, const Path& path, Problems& problems,
                const ReadOptions& options)
{
    Reader(problems, options).value(value, out, type, path, kPlain);
}

void parse_into(std::string_view text, void* out, const Type& type, const ReadOptions& options)
{
    std::array<unsigned char, 4096> space;  // the JSON of a small text needs no more, and none of it is kept
    json::monotonic_resource memory(space.data(), space.size());
    Problems problems;
    read_value(parse_json(text, options.limits, &memory), out, type, {}, problems, options);
    problems.raise();
}

}  // namespace cadre::model
