// Which values are equal, which is less, which contains which: as in Python.
#pragma once

#include "base/error.hpp"
#include "text/template/value.hpp"

#include <compare>
#include <cstddef>
#include <string_view>

namespace cadre::text::tpl {

class Meter;

bool truth(const Value& value);

bool equal(const Value& a, const Value& b, Meter& meter);
enum class Order { less, less_equal, greater, greater_equal };
/// Fails where Python has no order: a text and a number, two dicts.
bool ordered(Order order, const Value& a, const Value& b, Meter& meter);
/// `item in whole`
bool contains(const Value& whole, const Value& item, Meter& meter);

/// Exact, also where a double cannot hold the integer.
std::partial_ordering compare_numbers(const Value& a, const Value& b);

/// Lists and dicts are not, nor is what holds them.
bool is_hashable(const Value& key, Meter& meter);
/// Fails for what is not hashable, and for an undefined.
std::size_t hash_of(const Value& key, Meter& meter);
std::size_t hash_of(std::string_view key);

/// Somebody used an undefined. Who knows which names there are adds the one that was meant, and says where it came up.
class UndefinedUsed : public Error {
public:
    UndefinedUsed(const std::string& why, Value undefined) : Error(Code::invalid, why), value_(std::move(undefined)) {}
    const Value& value() const { return value_; }

private:
    Value value_;
};

[[noreturn]] void fail_undefined(const Value& value);

}  // namespace cadre::text::tpl
