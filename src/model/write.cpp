#include "model/write.hpp"

#include "base/id.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/time.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace cadre::model {

namespace {

/// Builds values piece by piece, with JsonWriter's words.
class ValueWriter {
public:
    ValueWriter() { stack_.reset(); }

    ValueWriter& begin_object() { return open(); }
    ValueWriter& end_object()
    {
        stack_.push_object(close());
        return counted();
    }
    ValueWriter& begin_array() { return open(); }
    ValueWriter& end_array()
    {
        stack_.push_array(close());
        return counted();
    }
    ValueWriter& key(std::string_view name)
    {
        stack_.push_key(name);
        return *this;
    }
    ValueWriter& value(std::string_view text)
    {
        stack_.push_string(text);
        return counted();
    }
    ValueWriter& value(bool flag)
    {
        stack_.push_bool(flag);
        return counted();
    }
    ValueWriter& value(std::int64_t number)
    {
        stack_.push_int64(number);
        return counted();
    }
    ValueWriter& value(std::uint64_t number)
    {
        stack_.push_uint64(number);
        return counted();
    }
    ValueWriter& value(double number)
    {
        if (!std::isfinite(number)) return null();
        stack_.push_double(number);
        return counted();
    }
    ValueWriter& null()
    {
        stack_.push_null();
        return counted();
    }
    ValueWriter& field(std::string_view name, std::string_view text) { return key(name).value(text); }

    json::value take() { return stack_.release(); }

private:
    ValueWriter& open()
    {
        open_.push_back(0);
        return *this;
    }
    std::size_t close()
    {
        const std::size_t count = open_.back();
        open_.pop_back();
        return count;
    }
    ValueWriter& counted()
    {
        if (!open_.empty()) ++open_.back();
        return *this;
    }

    json::value_stack stack_;
    std::vector<std::size_t> open_;  // how many elements each has so far
};

template <class Writer>
void write_entity(Writer& json, const void* entity, const Entity& description);

std::string_view name_in(std::span<const EnumName> names, std::int64_t value)
{
    for (const EnumName& name : names)
        if (name.value == value) return name.name;
    return {};
}

template <class Writer>
void write_json(Writer& json, const json::value& value);

template <class Writer>
void write_json(Writer& json, const json::object& object)
{
    json.begin_object();
    for (const auto& member : object) write_json(json.key(member.key()), member.value());
    json.end_object();
}

template <class Writer>
void write_json(Writer& json, const json::value& value)
{
    switch (value.kind()) {
    case json::kind::null: json.null(); break;
    case json::kind::bool_: json.value(value.get_bool()); break;
    case json::kind::int64: json.value(value.get_int64()); break;
    case json::kind::uint64: json.value(value.get_uint64()); break;
    case json::kind::double_: json.value(value.get_double()); break;
    case json::kind::string: json.value(std::string_view(value.get_string())); break;
    case json::kind::array:
        json.begin_array();
        for (const json::value& element : value.get_array()) write_json(json, element);
        json.end_array();
        break;
    case json::kind::object: write_json(json, value.get_object()); break;
    }
}

template <class Writer>
void write_value(Writer& json, const void* value, const Type& type)
{
    switch (type.kind) {
    case Kind::string: json.value(std::string_view(*static_cast<const std::string*>(value))); break;
    case Kind::boolean: json.value(*static_cast<const bool*>(value)); break;
    case Kind::integer: json.value(type.get_integer(value)); break;
    case Kind::number: json.value(*static_cast<const double*>(value)); break;
    case Kind::time: json.value(std::string_view(to_iso(*static_cast<const Time*>(value)))); break;
    case Kind::id: json.value(std::string_view(to_string(*static_cast<const Id*>(value)))); break;
    case Kind::any: write_json(json, *static_cast<const json::value*>(value)); break;
    case Kind::object: write_json(json, *static_cast<const json::object*>(value)); break;
    case Kind::enumeration: json.value(name_in(type.names, type.get_integer(value))); break;
    case Kind::optional:
        if (const void* inner = type.find(value)) write_value(json, inner, type.item());
        else json.null();
        break;
    case Kind::list:
        json.begin_array();
        for (std::size_t i = 0; i < type.size(value); ++i) write_value(json, type.at(value, i), type.item());
        json.end_array();
        break;
    case Kind::dict:
        json.begin_object();
        for (std::size_t i = 0; i < type.size(value); ++i) {
            json.key(type.key(value, i));
            write_value(json, type.at(value, i), type.item());
        }
        json.end_object();
        break;
    case Kind::entity: write_entity(json, value, type.entity()); break;
    case Kind::variant: write_entity(json, type.active(value), type.alternative(type.index(value))); break;
    }
}

/// Whether there is nothing in it; never of what cannot be empty.
bool has_nothing(const void* value, const Type& type)
{
    switch (type.kind) {
    case Kind::string: return static_cast<const std::string*>(value)->empty();
    case Kind::object: return static_cast<const json::object*>(value)->empty();
    case Kind::optional: return !type.find(value);
    case Kind::list:
    case Kind::dict: return type.size(value) == 0;
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

bool is_initial(const Field& field, const void* value)
{
    if (has_nothing(value, *field.type)) return has_nothing(field.initial, *field.type);  // most are
    std::string now, fresh;
    model::write_value(now, value, *field.type);
    model::write_value(fresh, field.initial, *field.type);
    return now == fresh;
}

/// `${VAR}` says where a secret is and not what it is, so it may be written: a file that is read back still finds its key.
bool is_reference(const void* value, const Type& type)
{
    if (type.kind == Kind::optional) value = type.find(value);
    const Type& inner = type.kind == Kind::optional ? type.item() : type;
    if (!value || inner.kind != Kind::string) return false;
    const std::string_view text = *static_cast<const std::string*>(value);
    return text.size() > 3 && text.starts_with("${") && text.ends_with('}') &&
           std::ranges::all_of(text.substr(2, text.size() - 3), [](char c) {
               return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
           });
}

bool is_null(const Field& field, const void* value)
{
    if (field.rule.secret && !is_reference(value, *field.type)) return true;
    return field.type->kind == Kind::optional && !field.type->find(value);
}

template <class Writer>
void write_entity(Writer& json, const void* entity, const Entity& description)
{
    json.begin_object();
    if (!description.tag.empty()) json.field("type", description.tag);
    for (const Field& field : description.fields) {
        const void* value = field.in(entity);
        const bool null = is_null(field, value);
        // what is left out is read as its default, so a null that is not the default must be written
        if (null && !description.dialect.writes_null && is_null(field, field.initial)) continue;
        if ((field.rule.extension || field.rule.omit_default) && is_initial(field, value)) continue;
        json.key(field.name);
        if (null) json.null();
        else write_value(json, value, *field.type);
    }
    json.end_object();
}

}  // namespace

void write_value(std::string& out, const void* value, const Type& type)
{
    constexpr std::size_t kUsualEntity = 192;  // bytes; growing to that costs more than what is written
    if (out.empty() && type.kind == Kind::entity) out.reserve(kUsualEntity);
    JsonWriter json(out);
    write_value(json, value, type);
}

json::value value_of(const void* value, const Type& type)
{
    ValueWriter json;
    write_value(json, value, type);
    return json.take();
}

void write(std::string& out, const void* entity, const Entity& description)
{
    JsonWriter json(out);
    write_entity(json, entity, description);
}

}  // namespace cadre::model
