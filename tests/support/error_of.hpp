// What an operation complains about, as a value that a test can compare.
#pragma once

#include "base/error.hpp"

#include <doctest/doctest.h>

#include <string>

namespace cadre::test {

/// "not_found: team x does not exist", or nothing when `operation` throws no Error. doctest's own string, because only
/// that compares with doctest::Contains.
template <class Operation>
doctest::String error_of(Operation operation)
{
    try {
        operation();
    } catch (const Error& error) {
        return (std::string(name_of(error.code())) + ": " + error.what()).c_str();
    }
    return {};
}

}  // namespace cadre::test
