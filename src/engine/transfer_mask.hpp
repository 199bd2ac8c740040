// A run in a file, without what others should not read in it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace cadre::engine {

struct Transfer;

/// Puts what `mask` says in place of the texts of documents and bodies of records, and chains them again. Returns how many have changed;
/// 0: the file stays as it is.
std::size_t mask_run(Transfer& transfer, const std::function<std::string(const std::string&)>& mask);

}  // namespace cadre::engine
