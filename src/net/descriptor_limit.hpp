// How many files, sockets and pipes this process may have open at once. Most systems give 1,024 and allow more to those who ask.
#pragma once

#include <cstdint>
#include <optional>

namespace cadre::net {

/// Asks for as many as are allowed, within reason. For main(), before there are threads.
void raise_descriptor_limit();

/// What the limit was before it was raised; nothing if it was not. Programs that we start get this one: some go through all the
/// descriptors that they might have, and select() cannot count beyond 1,024.
std::optional<std::uint64_t> earlier_descriptor_limit();

}  // namespace cadre::net
