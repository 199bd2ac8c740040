// Expected wire text, kept in tests/golden.
#pragma once

#include <string>
#include <string_view>

namespace cadre::test {

/// The text of tests/golden/`name`, as it is.
std::string golden(std::string_view name);

}  // namespace cadre::test
