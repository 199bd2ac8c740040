#include "schema/budget.hpp"

#include "base/error.hpp"

#include <fmt/core.h>

namespace cadre::schema {

void Budget::throw_spent() const
{
    throw Error(Code::too_large,
                fmt::format("this value takes more than {} steps to check against its schema", max_steps_));
}

void Budget::throw_too_deep() const
{
    throw Error(Code::too_large,
                fmt::format("the schema applies to this value more than {} deep; it is nested too deep, or the "
                            "schema refers to itself without end",
                            max_depth_));
}

}  // namespace cadre::schema
