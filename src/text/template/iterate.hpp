// Walking over whatever can be walked over.
#pragma once

#include "text/template/value.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace cadre::text::tpl {

class Meter;

/// One walk over a value's items; of a text its characters, of a dict its keys.
class Walk {
public:
    /// Fails for what has no items.
    explicit Walk(Value source, bool backwards = false);

    /// Charges for each item.
    bool next(Value& item, Meter& meter);

private:
    bool next_character(Value& item);

    Value source_;
    std::size_t at_ = 0;
    bool backwards_;
};

/// A walk by who has the meter at hand.
class Iteration {
public:
    Iteration(const Value& source, Meter& meter) : walk_(source), meter_(meter) {}
    bool next(Value& item) { return walk_.next(item, meter_); }

private:
    Walk walk_;
    Meter& meter_;
};

bool is_iterable(const Value& value);
/// Python's len(), or nothing where it has none. Fails for an undefined.
std::optional<std::int64_t> find_length(const Value& value);
std::vector<Value> items_of(const Value& value, Meter& meter);
/// A text's characters; items by number; Python's [i] for what is_indexed().
Value item_at(const Value& value, std::int64_t index);
bool is_indexed(const Value& value);

}  // namespace cadre::text::tpl
