// What the local model answers: a function of the request. It finds, fills in, calls and quotes; what it has not found it does not say.
#pragma once

#include "llm/model.hpp"

#include <memory>

namespace cadre::text {
class Encoder;
}

namespace cadre::llm::local {

/// The same request, the same answer. `encoder`: compares meanings; null: words decide. Throws ModelError for an answer with a schema
/// that it cannot fill.
Completion decide(const Request& request, const std::shared_ptr<const text::Encoder>& encoder = nullptr);

}  // namespace cadre::llm::local
