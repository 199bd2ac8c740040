// Descriptions under test: reads JSON as an entity without knowing its C++ type, and changes one field of a good example.
#pragma once

#include "base/json.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace cadre::test {

struct ReadBack {
    std::string problems{};  // one line each
    std::string text{};      // what is written, if there were none
};

inline ReadBack read_back(const model::Entity& description, const json::value& value,
                          const model::ReadOptions& options = {})
{
    const std::shared_ptr<void> entity = description.make();
    model::Problems problems;
    model::read(value, entity.get(), description, {}, problems, options);
    ReadBack back{.problems = problems.text()};
    if (problems.empty()) model::write(back.text, entity.get(), description);
    return back;
}

template <class T>
const model::Entity& description_of()
{
    return describe(static_cast<const T*>(nullptr));
}

/// What is wrong with the entity's own example, once `field` holds `json`.
template <class T>
std::string problems_with(std::string_view field, std::string_view json)
{
    json::value value = parse_json(description_of<T>().example);
    value.as_object()[field] = parse_json(json);
    return read_back(description_of<T>(), value).problems;
}

/// The same, once `field` is left out.
template <class T>
std::string problems_without(std::string_view field)
{
    json::value value = parse_json(description_of<T>().example);
    value.as_object().erase(field);
    return read_back(description_of<T>(), value).problems;
}

/// The example with `field` left out, read and written: what its default is, as JSON.
template <class T>
std::string default_of(std::string_view field, const model::ReadOptions& options = {})
{
    json::value value = parse_json(description_of<T>().example);
    value.as_object().erase(field);
    const ReadBack back = read_back(description_of<T>(), value, options);
    if (!back.problems.empty()) return back.problems;
    const json::value written = parse_json(back.text);
    const auto* found = written.as_object().if_contains(field);
    return found ? to_text(*found) : "not written";
}

}  // namespace cadre::test
