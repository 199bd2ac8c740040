// What a model call can take of a budget at most, so that what is reserved for it is a bound and no guess.
#pragma once

#include "engine/budget.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cadre::llm {
class Model;
struct Request;
}  // namespace cadre::llm

namespace cadre::engine {

struct CallBound {
    Spending reserve{};
    std::optional<std::int64_t>
        max_output{};  // tokens that the answer may have, for the vendor; nothing: as many as it likes
};

/// An answer may be as long as what is left lasts, and as the model's answers get. `waiting` tokens of input are still to come; `dearest`
/// is what the dearest call so far has cost, for models whose prices nobody knows beforehand. Throws Error(invalid) for a budget in
/// dollars that cannot hold.
CallBound bound_of(const llm::Model& model, const llm::Request& request, std::int64_t waiting, const Account& account,
                   double dearest);

}  // namespace cadre::engine
