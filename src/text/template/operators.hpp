// What +, -, *, /, //, % and ** do, as in Python; integers that leave 64 bits are an error.
#pragma once

#include "text/template/value.hpp"

namespace cadre::text::tpl {

class Meter;

enum class Operator { add, subtract, multiply, divide, floor_divide, modulo, power };

Value apply(Operator op, const Value& left, const Value& right, Meter& meter);
Value negated(const Value& value);
Value plus(const Value& value);

}  // namespace cadre::text::tpl
