// How a test says that it cannot run here.
#pragma once

#include <string>

namespace cadre::test {

/// Call and return: the case counts as skipped, and `./test` prints the reason.
///     if (!has_bubblewrap()) return test::skip("bubblewrap is not installed");
void skip(const std::string& reason);

}  // namespace cadre::test
