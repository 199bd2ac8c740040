// C++ values as JSON: what arguments of tools are read from, and what models are told about them.
#pragma once

#include "cadre/export.hpp"

#include <concepts>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace cadre {

/// A member of a struct that tools take or return; see fields().
template <class Struct, class T>
struct Field {
    std::string_view name{};
    T Struct::* member = nullptr;
    std::string_view description{};
};

template <class Struct, class T>
constexpr Field<Struct, T> field(std::string_view name, T Struct::* member, std::string_view description = {})
{
    return {name, member, description};
}

/// Describes a struct, in a function beside it, and tools can take and return it:
///     auto cadre_fields(const Order*) { return cadre::fields(cadre::field("item", &Order::item), cadre::field("count", &Order::count)); }
template <class... Fields>
constexpr std::tuple<Fields...> fields(Fields... all)
{
    return {all...};
}

namespace detail {

// Each reads the JSON text of one value, and throws Failure(invalid) when it is another kind of value.
CADRE_API std::string text_from(std::string_view json);
CADRE_API double number_from(std::string_view json);
CADRE_API bool flag_from(std::string_view json);
CADRE_API long long integer_from(std::string_view json, long long least, long long most);
CADRE_API std::vector<std::string> items_from(std::string_view json);
CADRE_API std::vector<std::pair<std::string, std::string>> members_from(std::string_view json);

CADRE_API std::string json_of(std::string_view text);
CADRE_API std::string json_of_number(double number);

/// `name: what is wrong`, for a Failure that is being handled.
[[noreturn]] CADRE_API void fail_in(std::string_view name);
[[noreturn]] CADRE_API void fail_missing(std::string_view name);

template <class T>
concept Described = requires { cadre_fields(static_cast<const T*>(nullptr)); };

/// schema(): what JSON Schema says of it; read() and write(): JSON text.
template <class T>
struct Json {
    static_assert(
        Described<T>,
        "arguments and results of tools are bool, integers, floating point numbers, std::string, std::vector, "
        "std::optional, std::map<std::string, T>, or a struct with cadre_fields()");
    static std::string schema();
    static T read(std::string_view json);
    static std::string write(const T& value);
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <>
struct Json<std::string> {
    static std::string schema() { return R"({"type":"string"})"; }
    static std::string read(std::string_view json) { return text_from(json); }
    static std::string write(const std::string& value) { return json_of(value); }
};

template <>
struct Json<bool> {
    static std::string schema() { return R"({"type":"boolean"})"; }
    static bool read(std::string_view json) { return flag_from(json); }
    static std::string write(bool value) { return value ? "true" : "false"; }
};

template <std::integral T>
struct Json<T> {
    /// What JSON numbers hold without loss, and what the type holds.
    static constexpr long long kLeast =
        std::is_unsigned_v<T> ? 0 : static_cast<long long>(std::numeric_limits<T>::min());
    static constexpr long long kMost = std::in_range<long long>(std::numeric_limits<T>::max())
                                           ? static_cast<long long>(std::numeric_limits<T>::max())
                                           : std::numeric_limits<long long>::max();

    static std::string schema()
    {
        if constexpr (std::is_unsigned_v<T>) return R"({"type":"integer","minimum":0})";
        else return R"({"type":"integer"})";
    }
    static T read(std::string_view json) { return static_cast<T>(integer_from(json, kLeast, kMost)); }
    static std::string write(T value) { return std::to_string(value); }
};

template <std::floating_point T>
struct Json<T> {
    static std::string schema() { return R"({"type":"number"})"; }
    static T read(std::string_view json) { return static_cast<T>(number_from(json)); }
    static std::string write(T value) { return json_of_number(value); }
};

template <class T>
struct Json<std::optional<T>> {
    static std::string schema() { return Json<T>::schema(); }
    static std::optional<T> read(std::string_view json)
    {
        if (json == "null") return std::nullopt;
        return Json<T>::read(json);
    }
    static std::string write(const std::optional<T>& value) { return value ? Json<T>::write(*value) : "null"; }
};

template <class T>
struct Json<std::vector<T>> {
    static std::string schema() { return R"({"type":"array","items":)" + Json<T>::schema() + "}"; }
    static std::vector<T> read(std::string_view json)
    {
        std::vector<T> values;
        for (const std::string& item : items_from(json)) values.push_back(Json<T>::read(item));
        return values;
    }
    static std::string write(const std::vector<T>& values)
    {
        std::string json;
        for (const T& value : values) json += (json.empty() ? "" : ",") + Json<T>::write(value);
        return "[" + json + "]";
    }
};

template <class T>
struct Json<std::map<std::string, T>> {
    static std::string schema() { return R"({"type":"object","additionalProperties":)" + Json<T>::schema() + "}"; }
    static std::map<std::string, T> read(std::string_view json)
    {
        std::map<std::string, T> values;
        for (const auto& [name, item] : members_from(json)) values.emplace(name, Json<T>::read(item));
        return values;
    }
    static std::string write(const std::map<std::string, T>& values)
    {
        std::string json;
        for (const auto& [name, value] : values)
            json += (json.empty() ? "" : ",") + json_of(name) + ":" + Json<T>::write(value);
        return "{" + json + "}";
    }
};

/// The schema of an object, as its members are added.
class ObjectSchema {
public:
    template <class T>
    void add(std::string_view name, std::string_view description)
    {
        std::string schema = Json<T>::schema();
        if (!description.empty()) schema.insert(1, R"("description":)" + json_of(description) + ",");
        properties_ += (properties_.empty() ? "" : ",") + json_of(name) + ":" + schema;
        if (!is_optional<T>) required_ += (required_.empty() ? "" : ",") + json_of(name);
    }
    std::string text() const
    {
        return R"({"type":"object","properties":{)" + properties_ + R"(},"required":[)" + required_ +
               R"(],"additionalProperties":false})";
    }

private:
    std::string properties_;
    std::string required_;
};

/// The member of that name; missing ones are null, which only optional values can be.
template <class T>
T read_member(const std::vector<std::pair<std::string, std::string>>& members, std::string_view name)
{
    for (const auto& [key, json] : members) {
        if (key != name) continue;
        try {
            return Json<T>::read(json);
        } catch (...) {
            fail_in(name);
        }
    }
    if constexpr (is_optional<T>) return std::nullopt;
    else fail_missing(name);
}

template <class T>
std::string Json<T>::schema()
{
    ObjectSchema object;
    const auto add = [&]<class M>(const Field<T, M>& one) { object.add<M>(one.name, one.description); };
    std::apply([&](const auto&... each) { (add(each), ...); }, cadre_fields(static_cast<const T*>(nullptr)));
    return object.text();
}

template <class T>
T Json<T>::read(std::string_view json)
{
    T value{};
    const auto members = members_from(json);
    const auto read = [&]<class M>(const Field<T, M>& one) { value.*one.member = read_member<M>(members, one.name); };
    std::apply([&](const auto&... each) { (read(each), ...); }, cadre_fields(static_cast<const T*>(nullptr)));
    return value;
}

template <class T>
std::string Json<T>::write(const T& value)
{
    std::string json;
    const auto write = [&]<class M>(const Field<T, M>& one) {
        json += (json.empty() ? "" : ",") + json_of(one.name) + ":" + Json<M>::write(value.*one.member);
    };
    std::apply([&](const auto&... each) { (write(each), ...); }, cadre_fields(static_cast<const T*>(nullptr)));
    return "{" + json + "}";
}

}  // namespace detail
}  // namespace cadre
