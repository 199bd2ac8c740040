#include "model/views/agentx_interop.hpp"

#include "model/describe.hpp"

#include <fmt/format.h>

namespace cadre::model::agentx {

namespace {

/// The example of an export: the team's own, and what became of it.
std::string with_team(std::string_view rest)
{
    return fmt::format(R"({{"agentx_team":{},{}}})", describe(static_cast<const Team*>(nullptr)).example, rest);
}

}  // namespace

const Entity& describe(const LangChainImport*)
{
    static const Entity entity{
        .name = "langchain_import",
        .doc = "A LangChain configuration.",
        .fields = {field("chain_type", &LangChainImport::chain_type, "Kind of the chain.",
                         {.required = true, .min_length = 1}),
                   field("chain_config", &LangChainImport::chain_config, "Its settings.", {.required = true}),
                   field("agents", &LangChainImport::agents, "Its agents.", {.required = true}),
                   field("tools", &LangChainImport::tools, "Their tools.", {.required = true}),
                   field("memory_config", &LangChainImport::memory_config, "Settings of its memory.")},
        .home = {Home::Kind::message, "the body of `POST /import/langchain`"},
        .example = R"({"chain_type":"sequential","chain_config":{"verbose":true},"agents":[{"name":"writer"}],
"tools":[{"name":"search"}],"memory_config":{"k":5}})"};
    return entity;
}

const Entity& describe(const LangChainExport*)
{
    static const std::string example = with_team(
        R"("langchain_equivalent":{"chain_type":"llm"},"migration_notes":["Guardrails have no counterpart."])");
    static const Entity entity{
        .name = "langchain_export",
        .doc = "A team, and what it is in LangChain.",
        .fields = {field("agentx_team", &LangChainExport::agentx_team, "The team.", {.required = true}),
                   field("langchain_equivalent", &LangChainExport::langchain_equivalent, "The same for LangChain.",
                         {.required = true}),
                   field("migration_notes", &LangChainExport::migration_notes, "What could not be said there.",
                         {.required = true})},
        .home = {Home::Kind::message, "the answer when a team is exported to LangChain"},
        .example = example};
    return entity;
}

const Entity& describe(const AutoGenImport*)
{
    static const Entity entity{.name = "autogen_import",
                               .doc = "An AutoGen or AG2 configuration.",
                               .fields = {field("group_chat_config", &AutoGenImport::group_chat_config,
                                                "Settings of the group chat.", {.required = true}),
                                          field("agents", &AutoGenImport::agents, "Its agents.", {.required = true}),
                                          field("conversation_patterns", &AutoGenImport::conversation_patterns,
                                                "How they take turns.", {.required = true})},
                               .home = {Home::Kind::message, "the body of `POST /import/autogen`"},
                               .example = R"({"group_chat_config":{"max_round":12},"agents":[{"name":"writer"}],
"conversation_patterns":[{"type":"round_robin"}]})"};
    return entity;
}

const Entity& describe(const AutoGenExport*)
{
    static const std::string example =
        with_team(R"("autogen_equivalent":{"group_chat":{}},"pattern_mappings":{"vote":"group_chat"})");
    static const Entity entity{
        .name = "autogen_export",
        .doc = "A team, and what it is in AutoGen.",
        .fields = {field("agentx_team", &AutoGenExport::agentx_team, "The team.", {.required = true}),
                   field("autogen_equivalent", &AutoGenExport::autogen_equivalent, "The same for AutoGen.",
                         {.required = true}),
                   field("pattern_mappings", &AutoGenExport::pattern_mappings, "What each pattern became.",
                         {.required = true})},
        .home = {Home::Kind::message, "the answer when a team is exported to AutoGen"},
        .example = example};
    return entity;
}

const Entity& describe(const CrewAIImport*)
{
    static const Entity entity{
        .name = "crewai_import",
        .doc = "A CrewAI configuration.",
        .fields = {field("crew_config", &CrewAIImport::crew_config, "Settings of the crew.", {.required = true}),
                   field("agents", &CrewAIImport::agents, "Its agents.", {.required = true}),
                   field("tasks", &CrewAIImport::tasks, "What they have to do.", {.required = true}),
                   field("tools", &CrewAIImport::tools, "Their tools.", {.required = true})},
        .home = {Home::Kind::message, "the body of `POST /import/crewai`"},
        .example =
            R"({"crew_config":{"process":"sequential"},"agents":[{"role":"writer"}],"tasks":[{"description":"Write."}],
"tools":[{"name":"search"}]})"};
    return entity;
}

const Entity& describe(const CrewAIExport*)
{
    static const std::string example =
        with_team(R"("crewai_equivalent":{"agents":[]},"role_mappings":{"writer":"Writes."})");
    static const Entity entity{
        .name = "crewai_export",
        .doc = "A team, and what it is in CrewAI.",
        .fields = {field("agentx_team", &CrewAIExport::agentx_team, "The team.", {.required = true}),
                   field("crewai_equivalent", &CrewAIExport::crewai_equivalent, "The same for CrewAI.",
                         {.required = true}),
                   field("role_mappings", &CrewAIExport::role_mappings, "What each agent's role became.",
                         {.required = true})},
        .home = {Home::Kind::message, "the answer when a team is exported to CrewAI"},
        .example = example};
    return entity;
}

}  // namespace cadre::model::agentx
