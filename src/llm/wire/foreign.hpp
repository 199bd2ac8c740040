// Looking into JSON that others wrote: what is not there, or not of the kind that was hoped for, is nothing.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace cadre::llm {

/// Null when `value` is no object or has no such member; null too for a member that is null.
inline const boost::json::value* find_in(const boost::json::value* value, std::string_view name)
{
    const auto* object = value ? value->if_object() : nullptr;
    const auto* found = object ? object->if_contains(name) : nullptr;
    return found && !found->is_null() ? found : nullptr;
}
inline const boost::json::value* find_in(const boost::json::value& value, std::string_view name)
{
    return find_in(&value, name);
}

/// A text that is a member; empty when there is none.
inline std::string_view text_in(const boost::json::value* value, std::string_view name)
{
    const auto* found = find_in(value, name);
    const auto* text = found ? found->if_string() : nullptr;
    return text ? std::string_view(*text) : std::string_view();
}
inline std::string_view text_in(const boost::json::value& value, std::string_view name)
{
    return text_in(&value, name);
}

/// More tokens, or other things to count, than anyone could mean.
inline constexpr double kMaxCount = 1e12;

/// A whole number from 0 on.
inline std::optional<std::int64_t> count_in(const boost::json::value* value, std::string_view name)
{
    const auto* found = find_in(value, name);
    if (!found || !found->is_number()) return std::nullopt;
    const double number = found->is_int64()    ? static_cast<double>(found->get_int64())
                          : found->is_uint64() ? static_cast<double>(found->get_uint64())
                                               : found->get_double();
    if (!(number >= 0 && number <= kMaxCount)) return std::nullopt;
    return static_cast<std::int64_t>(number);
}
inline std::optional<std::int64_t> count_in(const boost::json::value& value, std::string_view name)
{
    return count_in(&value, name);
}

}  // namespace cadre::llm
