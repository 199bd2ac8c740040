// How much a text reads like an attempt to give a model orders. A heuristic: it finds the clumsy and the well-known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cadre::guardrails {

struct InjectionScore {
    double score = 0;                         // 0 to 1
    std::vector<std::string_view> reasons{};  // "orders to the model", without quoting the text
};

/// Linear. Phrases that give orders, markers of roles (`<|im_start|>`, `[INST]`), runs of unseen characters, long base64, and images
/// whose address has a query, each weighted; independent signs add up as probabilities do.
InjectionScore injection_score(std::string_view text);

}  // namespace cadre::guardrails
