// Whether a call may be made: what speaks against it, and what people are asked about it.
#pragma once

#include "engine/agent.hpp"
#include "engine/run.hpp"

#include <string>

namespace cadre::engine {

/// Why the agent may not make this call, for the model; empty: it may.
std::string refusal(const Agent& agent, const model::Tool* tool, const model::ToolCall& call);

/// Whether a person must agree first.
bool needs_consent(const Agent& agent, const model::Tool& tool, const model::ToolCall& call);

/// A person must agree to exactly this call: what is shown is what its digest covers.
Question approval_of(const Agent& agent, const model::Tool& tool, const model::ToolCall& call);

/// What a tool of kind hitl asks: a question of a model's to a person.
Question question_of(const Agent& agent, const model::ToolCall& call, const model::Tool& tool);

/// Whom the tool's policy has asked when nobody answered in time: another hitl tool of the team, or whoever the policy's words
/// describe. Nothing: nobody.
std::optional<Question> escalation_of(const Question& question, const model::Tool& tool, const Agent& agent);

/// An answer as the model hears it.
std::string words_of(const model::HumanAnswer& answer);

}  // namespace cadre::engine
