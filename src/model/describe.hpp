// Descriptions: each entity's fields, rules and one sentence of documentation, said once. JSON, validation, JSON Schema and
// the reference pages walk them.
//
//     const Entity& describe(const Agent*)
//     {
//         static const Entity entity{"agent", "A model and the tools it may call.", {
//             field("name", &Agent::name, "Unique; shown in the console.", {.required = true, .max_length = 64}),
//             field("max_iterations", &Agent::max_iterations, "Model calls before the agent gives up.", {.min = 1}),
//         }};
//         return entity;
//     }
//
// Defaults are the struct's own initialisers: a field that may be left out keeps what `Agent{}` holds.
#pragma once

#include "model/condition.hpp"
#include "model/problem.hpp"
#include "model/type.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {

/// Strings with a form of their own; format.cpp checks them and knows their pattern for schemas.
enum class Format : std::uint8_t {
    none,
    snake_name,  // agent_1
    alias,       // light-agent
    uuid,        // UUID v4
    step_id,     // step_ and the 32 hex digits of a UUID v4
    call_id,     // tc_ and the same
    version,     // 1.0.0
    url,         // http or https
    file_name,   // writers, article-2.1: what can be a file's name and a word of a URL
};

/// What is put into a field that was left out, where no constant can say it.
enum class Fill : std::uint8_t { nothing, now, uuid, step_id, call_id };

struct Rule {
    bool required = false;
    std::optional<double> min{}, max{};                     // numbers, inclusive
    std::optional<double> above{};                          // numbers, exclusive
    std::optional<std::size_t> min_length{}, max_length{};  // code points of a string, elements of a list or dict
    Format format = Format::none;
    Fill fill = Fill::nothing;
    const Rule* items = nullptr;    // of each element of a list or dict
    bool unique = false;            // elements of a list of strings
    bool secret = false;            // read, never written: null takes its place, unless it is a reference like ${VAR}
    bool extension = false;         // not in the source document: written only when it differs from its default
    bool omit_default = false;      // the source document's, and left out by its own example while it is the default
    std::string_view says{};        // the source document's own words for a broken rule
    std::string_view says_above{};  // the same, where its words speak only of what is above `max`
};

struct Field {
    std::string_view name;
    std::string_view doc;
    Rule rule;
    const Type* type;
    std::size_t offset;
    const void* initial;               // the value in a fresh entity
    std::shared_ptr<void> (*fresh)();  // makes such an entity

    const void* in(const void* entity) const { return static_cast<const char*>(entity) + offset; }
    void* in(void* entity) const { return static_cast<char*>(entity) + offset; }
};

/// How a document writes its JSON.
struct Dialect {
    bool writes_null = true;            // false: a null field is left out
    bool any_case = false;              // names are read in any case
    bool numbers_from_strings = false;  // "0.95" is read as 0.95
};
inline constexpr Dialect kPlain{};
inline constexpr Dialect kA2a{.writes_null = false, .any_case = true, .numbers_from_strings = true};

/// Other forms of an entity's JSON that are read too: puts the described form into `plain`, or returns false when `given`
/// is to be read as it is.
using Accept = bool (*)(const boost::json::value& given, boost::json::value& plain);

/// A rule between fields that no Demand can say. It is left out when a field that it needs is wrong already: one mistake, one
/// message. One that needs none is always asked, and asks `problems` itself what it can rely on.
struct Check {
    std::vector<std::string_view> needs{};
    std::string_view doc{};                                          // one sentence, for the reference page
    std::function<void(const void*, const Path&, Problems&)> run{};  // none: whoever reads the entity does it
    std::string schema{};  // what a JSON Schema can say of it; `$ref` names an entity as `#/$defs/NAME`, and beside
                           // `"or_variable":true` a file may have a reference like ${VAR}
};

/// Where an entity is met.
struct Home {
    enum class Kind : std::uint8_t {
        part,       // in other entities
        yaml_file,  // people write it
        json_file,  // the same, where a file is by custom JSON
        data,       // Cadre writes it
        message,    // it is sent and received
        inside,     // it does not leave Cadre in this form
    };
    Kind kind = Kind::part;
    std::string_view where{};  // for pages: "`teams/NAME.yaml`"
};

/// What a file may hold in place of the entity: another one, told by a field that only that one has.
struct OtherFile {
    std::string_view field{};   // empty: nothing else
    std::string_view entity{};  // its name
};

struct Entity {
    std::string_view name;
    std::string_view doc;
    std::vector<Field> fields;
    std::string_view tag{};  // value of its `type` field, as an alternative of a union
    Home home{};
    Dialect dialect{};
    std::vector<Demand> demands{};
    std::vector<Check> checks{};
    std::string_view example{};  // JSON, for the reference page; must read without problems
    Accept accept{};
    std::string_view other_form{};                // JSON Schema of what `accept` takes; `$ref` as in a Check
    std::span<const std::string_view> ignored{};  // names that others write there, and that mean nothing to us
    OtherFile other_file{};

    const Field* find(std::string_view field_name) const;
    /// A fresh object of the struct that is described, for those who know only the description; null if it has no field.
    std::shared_ptr<void> make() const { return fields.empty() ? nullptr : fields.front().fresh(); }
};

namespace detail {

template <class T>
std::shared_ptr<void> fresh()
{
    return std::make_shared<T>();
}

}  // namespace detail

template <class T, class M>
Field field(std::string_view name, M T::* member, std::string_view doc, Rule rule = {})
{
    static const T fresh{};
    const auto* place = reinterpret_cast<const char*>(&(fresh.*member));
    return {name,
            doc,
            rule,
            &type_of<M>(),
            static_cast<std::size_t>(place - reinterpret_cast<const char*>(&fresh)),
            place,
            &detail::fresh<T>};
}

/// `fn(const T&, const Path&, Problems&)` as a check; `doc` says what it wants.
template <class T, class F>
Check check(std::vector<std::string_view> needs, std::string_view doc, F fn, std::string schema = {})
{
    return {.needs = std::move(needs),
            .doc = doc,
            .run = [fn](const void* entity, const Path& path,
                        Problems& problems) { fn(*static_cast<const T*>(entity), path, problems); },
            .schema = std::move(schema)};
}

}  // namespace cadre::model
