// Values as text: what Python's str() and repr() give, and json.dumps().
#pragma once

#include "text/template/value.hpp"

#include <string>

namespace cadre::text::tpl {

class Meter;

void append_text(std::string& out, const Value& value, Meter& meter);
std::string text_of(const Value& value, Meter& meter);

void append_repr(std::string& out, const Value& value, Meter& meter);
void append_quoted(std::string& out, std::string_view text, bool ascii_only = false);

/// As Jinja's tojson: keys sorted, characters that mean something in HTML escaped.
std::string json_text(const Value& value, const std::string* indent, Meter& meter);

}  // namespace cadre::text::tpl
