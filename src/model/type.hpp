// Types without templates: what a field holds and how to reach into it, so that reading, writing, validation, schemas and
// reference pages are ordinary functions that walk descriptions.
#pragma once

#include "base/id.hpp"
#include "base/time.hpp"

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cadre::model {

struct Entity;

enum class Kind : std::uint8_t {
    string,
    boolean,
    integer,  // 64 bits inside, whatever the member's width
    number,
    time,
    id,      // a UUID
    any,     // any JSON value
    object,  // a JSON object of any content
    enumeration,
    optional,
    list,
    dict,
    entity,
    variant,
};

/// A value of an enumeration and its name on the wire.
struct EnumName {
    int value;
    std::string_view name;
};

/// How to look at and change an object of some C++ type through a void pointer; which functions are set depends on its kind.
struct Type {
    Kind kind;
    const Type& (*item)() = nullptr;      // optional, list, dict
    const Entity& (*entity)() = nullptr;  // entity
    std::span<const EnumName> names{};    // enumeration

    std::int64_t least = 0, most = 0;                             // integer: what fits the member
    std::int64_t (*get_integer)(const void*) = nullptr;           // integer, enumeration
    bool (*set_integer)(void*, std::int64_t) = nullptr;           // false: does not fit
    const void* (*find)(const void*) = nullptr;                   // optional: the value, or null
    void* (*emplace)(void*) = nullptr;                            // optional: makes and returns a fresh value
    void (*clear)(void*) = nullptr;                               // optional, list, dict
    std::size_t (*size)(const void*) = nullptr;                   // list, dict
    const void* (*at)(const void*, std::size_t) = nullptr;        // list, dict: the i-th value
    void* (*append)(void*) = nullptr;                             // list: a fresh last element
    std::string_view (*key)(const void*, std::size_t) = nullptr;  // dict: the i-th name
    void* (*insert)(void*, std::string_view) = nullptr;           // dict: a fresh value under that name
    std::size_t alternatives = 0;                                 // variant
    const Entity& (*alternative)(std::size_t) = nullptr;          // variant: the entity of the i-th
    std::size_t (*index)(const void*) = nullptr;                  // variant: which one it is
    const void* (*active)(const void*) = nullptr;                 // variant: the value
    void* (*activate)(void*, std::size_t) = nullptr;              // variant: makes a fresh i-th and returns it
};

/// Named values in the order in which they were written; for the documents' dicts of entities.
template <class T>
class Dict {
public:
    using Item = std::pair<std::string, T>;

    T* find(std::string_view name)
    {
        const auto place = places_.find(name);
        return place == places_.end() ? nullptr : &items_[place->second].second;
    }
    const T* find(std::string_view name) const { return const_cast<Dict*>(this)->find(name); }
    /// The value of that name, made if it is not there.
    T& operator[](std::string_view name)
    {
        const auto [place, is_new] = places_.try_emplace(std::string(name), items_.size());
        if (is_new) items_.emplace_back(std::string(name), T{});
        return items_[place->second].second;
    }
    std::size_t size() const { return items_.size(); }
    bool empty() const { return items_.empty(); }
    void clear()
    {
        items_.clear();
        places_.clear();
    }
    auto begin() const { return items_.begin(); }
    auto end() const { return items_.end(); }
    const Item& item(std::size_t i) const { return items_[i]; }

    bool operator==(const Dict&) const = default;

private:
    std::vector<Item> items_;
    std::map<std::string, std::size_t, std::less<>> places_;  // of each name: hostile files have many
};

/// The type of T's values: T is std::string, bool, a number, Time, Id, json::value, json::object, an enumeration with
/// `names_of(const T*)`, a struct with `describe(const T*)`, or an optional, vector, Dict or variant of these.
template <class T>
const Type& type_of();

// ---- implementation ----

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_dict = false;
template <class T>
inline constexpr bool is_dict<Dict<T>> = true;
template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;

template <class T>
const T& as(const void* object)
{
    return *static_cast<const T*>(object);
}
template <class T>
T& as(void* object)
{
    return *static_cast<T*>(object);
}

template <class T>
Type integer_type()
{
    return {.kind = Kind::integer,
            .least = std::numeric_limits<T>::min(),
            .most = std::in_range<std::int64_t>(std::numeric_limits<T>::max())
                        ? static_cast<std::int64_t>(std::numeric_limits<T>::max())
                        : std::numeric_limits<std::int64_t>::max(),
            .get_integer = [](const void* o) { return static_cast<std::int64_t>(as<T>(o)); },
            .set_integer =
                [](void* o, std::int64_t value) {
                    if (!std::in_range<T>(value)) return false;
                    as<T>(o) = static_cast<T>(value);
                    return true;
                }};
}

template <class T>
Type enumeration_type()
{
    return {.kind = Kind::enumeration,
            .names = names_of(static_cast<const T*>(nullptr)),
            .get_integer = [](const void* o) { return static_cast<std::int64_t>(as<T>(o)); },
            .set_integer =
                [](void* o, std::int64_t value) {
                    as<T>(o) = static_cast<T>(value);
                    return true;
                }};
}

template <class T>
Type optional_type()
{
    using Value = typename T::value_type;
    return {.kind = Kind::optional,
            .item = &type_of<Value>,
            .find = [](const void* o) -> const void* { return as<T>(o) ? &*as<T>(o) : nullptr; },
            .emplace = [](void* o) -> void* { return &as<T>(o).emplace(); },
            .clear = [](void* o) { as<T>(o).reset(); }};
}

template <class T>
Type list_type()
{
    return {.kind = Kind::list,
            .item = &type_of<typename T::value_type>,
            .clear = [](void* o) { as<T>(o).clear(); },
            .size = [](const void* o) { return as<T>(o).size(); },
            .at = [](const void* o, std::size_t i) -> const void* { return &as<T>(o)[i]; },
            .append = [](void* o) -> void* { return &as<T>(o).emplace_back(); }};
}

template <class T>
Type dict_type()
{
    return {.kind = Kind::dict,
            .item = &type_of<typename T::Item::second_type>,
            .clear = [](void* o) { as<T>(o).clear(); },
            .size = [](const void* o) { return as<T>(o).size(); },
            .at = [](const void* o, std::size_t i) -> const void* { return &as<T>(o).item(i).second; },
            .key = [](const void* o, std::size_t i) { return std::string_view(as<T>(o).item(i).first); },
            .insert = [](void* o, std::string_view name) -> void* { return &as<T>(o)[name]; }};
}

template <class T, std::size_t... I>
Type variant_type(std::index_sequence<I...>)
{
    using Describe = const Entity& (*)();
    using Activate = void* (*)(void*);
    return {.kind = Kind::variant,
            .alternatives = sizeof...(I),
            .alternative = [](std::size_t i) -> const Entity& {
                static constexpr Describe all[] = {[]() -> const Entity& {
                    return describe(static_cast<const std::variant_alternative_t<I, T>*>(nullptr));
                }...};
                return all[i]();
            },
            .index = [](const void* o) { return as<T>(o).index(); },
            .active = [](const void* o) -> const void* {
                return std::visit([](const auto& value) -> const void* { return &value; }, as<T>(o));
            },
            .activate = [](void* o, std::size_t i) -> void* {
                static constexpr Activate all[] = {[](void* v) -> void* { return &as<T>(v).template emplace<I>(); }...};
                return all[i](o);
            }};
}

template <class T>
Type make_type()
{
    if constexpr (std::is_same_v<T, std::string>) return {.kind = Kind::string};
    else if constexpr (std::is_same_v<T, bool>) return {.kind = Kind::boolean};
    else if constexpr (std::is_same_v<T, double>) return {.kind = Kind::number};
    else if constexpr (std::is_integral_v<T>) return integer_type<T>();
    else if constexpr (std::is_same_v<T, Time>) return {.kind = Kind::time};
    else if constexpr (std::is_same_v<T, Id>) return {.kind = Kind::id};
    else if constexpr (std::is_same_v<T, boost::json::value>) return {.kind = Kind::any};
    else if constexpr (std::is_same_v<T, boost::json::object>) return {.kind = Kind::object};
    else if constexpr (std::is_enum_v<T>) return enumeration_type<T>();
    else if constexpr (is_optional<T>) return optional_type<T>();
    else if constexpr (is_vector<T>) return list_type<T>();
    else if constexpr (is_dict<T>) return dict_type<T>();
    else if constexpr (is_variant<T>) return variant_type<T>(std::make_index_sequence<std::variant_size_v<T>>());
    else
        return {.kind = Kind::entity,
                .entity = []() -> const Entity& { return describe(static_cast<const T*>(nullptr)); }};
}

}  // namespace detail

template <class T>
const Type& type_of()
{
    static const Type type = detail::make_type<T>();
    return type;
}

}  // namespace cadre::model
