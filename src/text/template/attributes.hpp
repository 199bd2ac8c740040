// "address.city", "age,name": the attributes that filters are told about.
#pragma once

#include "text/template/value.hpp"

#include <vector>

namespace cadre::text::tpl {

class Meter;

/// Steps from an item to what is meant; none: the item itself.
class AttributePath {
public:
    /// Null or not given: the item itself. A text has its steps between dots; digits are numbers.
    explicit AttributePath(const Value* attribute);
    Value get(const Value& item, Meter& meter, const Value* missing = nullptr) const;

private:
    std::vector<Value> steps_{};
};

/// Several paths, divided by commas.
std::vector<AttributePath> attribute_paths(const Value* attribute);

/// Texts in lower case, everything else as it is: what sorting and grouping go by.
Value without_case(const Value& value, Meter& meter);

}  // namespace cadre::text::tpl
