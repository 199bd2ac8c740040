// Between the kernel and document 002. A2A knows agents by their aliases: `agents` says which name has which, and what is
// not in it is translated by rule (C-10).
#pragma once

#include "model/decision.hpp"
#include "model/names.hpp"
#include "model/session.hpp"
#include "model/step.hpp"
#include "model/task.hpp"
#include "model/views/orchestration.hpp"
#include "model/views/orchestration_options.hpp"
#include "model/views/orchestration_route.hpp"

namespace cadre::model::orchestration {

/// A decision that needs clarification shows the agent that asks back (C-34), one without targets the fallback agent.
AgentChoiceResult view(const Decision& decision, const RouterExecutorOptions& options,
                       std::span<const NamedAlias> agents = {});
Decision from(const AgentChoiceResult& choice, std::string query, const RouterExecutorOptions& options,
              std::span<const NamedAlias> agents = {});

AgentReplyView view(const Reply& reply, std::span<const NamedAlias> agents = {});
Reply from(const AgentReplyView& reply, std::string task, std::span<const NamedAlias> agents = {});

/// The task as A2A clients see it: of `history`, what user and assistant said and the files they made (C-05).
TaskContext view(const Task& task, const Session* session, std::span<const Step> history);

}  // namespace cadre::model::orchestration
