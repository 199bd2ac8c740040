#include "schema/equal.hpp"

#include "schema/budget.hpp"
#include "schema/number.hpp"

#include <algorithm>
#include <string_view>

namespace cadre::schema {

namespace {

constexpr std::size_t kFew = 8;                  // so many values are compared one by one
constexpr std::size_t kBytesComparedAStep = 64;  // of text that is compared or hashed

std::uint64_t mixed(std::uint64_t bits)
{
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return bits ^ (bits >> 31);
}

bool equal_arrays(const json::array& a, const json::array& b, Budget& budget)
{
    return std::ranges::equal(a, b, [&](const auto& x, const auto& y) { return equal(x, y, budget); });
}

bool equal_objects(const json::object& a, const json::object& b, Budget& budget)
{
    return a.size() == b.size() && std::ranges::all_of(a, [&](const auto& member) {
               const json::value* other = b.if_contains(member.key());
               return other && equal(member.value(), *other, budget);
           });
}

std::uint64_t hash_text(std::string_view text, Budget& budget)
{
    budget.spend(1 + text.size() / kBytesComparedAStep);
    return std::hash<std::string_view>()(text);
}

/// Indices of `values`, by their hashes.
std::vector<std::pair<std::uint64_t, std::size_t>> sorted_by_hash(const json::array& values, Budget& budget)
{
    std::vector<std::pair<std::uint64_t, std::size_t>> result;
    result.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) result.emplace_back(hash(values[i], budget), i);
    std::ranges::sort(result);
    return result;
}

}  // namespace

bool equal(const json::value& a, const json::value& b, Budget& budget)
{
    const Budget::Level level(budget);
    if (a.is_number()) return b.is_number() && Number(a) == Number(b);
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
    case json::kind::bool_: return a.get_bool() == b.get_bool();
    case json::kind::string: {
        const auto& text = a.get_string();
        if (text.size() != b.get_string().size()) return false;
        budget.spend(text.size() / kBytesComparedAStep);
        return text == b.get_string();
    }
    case json::kind::array: return equal_arrays(a.get_array(), b.get_array(), budget);
    case json::kind::object: return equal_objects(a.get_object(), b.get_object(), budget);
    default: return true;  // null; numbers have been compared
    }
}

std::uint64_t hash(const json::value& value, Budget& budget)
{
    const Budget::Level level(budget);
    if (value.is_number()) return mixed(Number(value).hash());
    switch (value.kind()) {
    case json::kind::bool_: return value.get_bool() ? 1 : 2;
    case json::kind::string: return hash_text(value.get_string(), budget);
    case json::kind::array: {
        std::uint64_t sum = 3;
        for (const json::value& element : value.get_array()) sum = mixed(sum + hash(element, budget));
        return sum;
    }
    case json::kind::object: {
        std::uint64_t sum = 4;  // of the members in any order
        for (const auto& member : value.get_object())
            sum += mixed(hash_text(member.key(), budget) + mixed(hash(member.value(), budget)));
        return sum;
    }
    default: return 5;
    }
}

std::optional<std::pair<std::size_t, std::size_t>> find_twins(const json::array& array, Budget& budget)
{
    if (array.size() <= kFew) {
        for (std::size_t i = 0; i < array.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (equal(array[j], array[i], budget)) return std::pair(j, i);
        return std::nullopt;
    }
    const auto sorted = sorted_by_hash(array, budget);
    for (std::size_t i = 0; i < sorted.size(); ++i)
        for (std::size_t j = i; j > 0 && sorted[j - 1].first == sorted[i].first; --j)
            if (equal(array[sorted[j - 1].second], array[sorted[i].second], budget))
                return std::pair(sorted[j - 1].second, sorted[i].second);
    return std::nullopt;
}

ValueSet::ValueSet(json::array values, Budget& budget) : values_(std::move(values))
{
    if (values_.size() > kFew) by_hash_ = sorted_by_hash(values_, budget);
}

bool ValueSet::contains(const json::value& value, Budget& budget) const
{
    if (by_hash_.empty())
        return std::ranges::any_of(values_, [&](const json::value& v) { return equal(v, value, budget); });

    const std::uint64_t wanted = hash(value, budget);
    const auto candidates = std::ranges::equal_range(by_hash_, wanted, {}, [](const auto& e) { return e.first; });
    return std::ranges::any_of(candidates, [&](const auto& e) { return equal(values_[e.second], value, budget); });
}

}  // namespace cadre::schema
