// Models that are written down in part: in the agent, in its team, in the project. The nearer one wins, field by field.
#pragma once

#include "model/llm.hpp"
#include "model/providers.hpp"

#include <boost/json/fwd.hpp>

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace cadre::config {

/// A model's configuration, and which of its fields somebody has written: the others hold defaults that are nobody's choice.
struct GivenLlm {
    model::LlmConfig config{};
    std::set<std::string, std::less<>> fields{};

    bool has(std::string_view field) const { return fields.contains(field); }
    /// Whether it says which model is meant.
    bool is_whole() const { return has("provider") && (has("model") || config.provider == model::kLocal); }
};

/// `written` as a file has it, which `config` was read from; with the names of document 000 too. Null: nothing is.
GivenLlm given_llm(const model::LlmConfig& config, const boost::json::value* written);
/// `provider/model`, as `model` in cadre.yaml has it.
GivenLlm given_spec(std::string_view spec);

/// What `over` says, and the rest from `under`. Address and key belong to a provider, and stay with it.
GivenLlm merged(const GivenLlm& over, const GivenLlm& under);

/// Why `over` does not tell which model it means, given what there is `under` it; empty: it does, or leaves that to `under`.
/// `owner_of` gives the provider that is known to have a model of that name, or nothing.
std::string pair_fault(const GivenLlm& over, const GivenLlm& under,
                       const std::function<std::string(std::string_view)>& owner_of);

}  // namespace cadre::config
