// Equality as JSON Schema means it: numbers by value, objects in any order.
#pragma once

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace cadre::schema {

namespace json = boost::json;

class Budget;

bool equal(const json::value& a, const json::value& b, Budget& budget);

/// Equal values have equal hashes.
std::uint64_t hash(const json::value& value, Budget& budget);

/// The positions of two equal elements, if there are any.
std::optional<std::pair<std::size_t, std::size_t>> find_twins(const json::array& array, Budget& budget);

/// The values of an `enum`, found by hash when there are many.
class ValueSet {
public:
    ValueSet(json::array values, Budget& budget);

    bool contains(const json::value& value, Budget& budget) const;
    const json::array& values() const { return values_; }

private:
    json::array values_;
    std::vector<std::pair<std::uint64_t, std::size_t>> by_hash_;  // sorted
};

}  // namespace cadre::schema
