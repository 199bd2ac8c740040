// Where the sources are that a test program was built from.
#pragma once

#include <filesystem>

namespace cadre::test {

/// The checkout in whose build folder the running program lies. It is not compiled in: the compiler's cache would then serve
/// no other clone.
std::filesystem::path source_folder();

}  // namespace cadre::test
