// Tokens where nobody counts them: a quarter of the bytes, rounded up. No tokenizer, but the same everywhere.
#pragma once

#include "llm/model.hpp"

#include <cstdint>

namespace cadre::llm {

std::int64_t estimated_tokens(const Request& request);
/// Of what was answered, thoughts included.
std::int64_t estimated_tokens(const Completion& completion);

}  // namespace cadre::llm
