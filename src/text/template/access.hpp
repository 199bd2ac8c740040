// What stands behind a value: attributes, items, slices, methods.
#pragma once

#include "text/template/value.hpp"

#include <string_view>

namespace cadre::text::tpl {

class Meter;
struct Arguments;

/// `value.name`; an undefined where there is none.
Value attribute_of(const Value& value, std::string_view name, Meter& meter);
/// `value[key]`; an undefined where there is none.
Value item_of(const Value& value, const Value& key, Meter& meter);
/// `value[start:stop:step]`; null for one that is not given.
Value slice_of(const Value& value, const Value& start, const Value& stop, const Value& step, Meter& meter);

/// `value.name(…)`
Value call_method(const Value& value, std::string_view name, const Arguments& arguments, Meter& meter);
/// `range(…)`
Value call_range(const Arguments& arguments);

}  // namespace cadre::text::tpl
