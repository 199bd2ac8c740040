// Places in a text that are to be masked.
#pragma once

#include "guardrails/compiled_rule.hpp"
#include "text/fold.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::guardrails {

/// `text`, of which `folded` is the folded form from `from` on, with the spans masked. Where they overlap, they become one, with the
/// mask of the first of them.
std::string masked(std::string_view text, const text::Folded& folded, std::size_t from, std::vector<Span> spans);

}  // namespace cadre::guardrails
