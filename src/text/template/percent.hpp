// Python's `format % values`.
#pragma once

#include "text/template/value.hpp"

namespace cadre::text::tpl {

class Meter;

/// `format` is a text; Markup escapes what is put into it.
Value percent(const Value& format, const Value& values, Meter& meter);

}  // namespace cadre::text::tpl
