#include "model/views/agentx_interop.hpp"

#include "model/describe.hpp"

namespace cadre::model::agentx {

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
        .example = R"({"chain_type":"sequential","chain_config":{"verbose":true},"agents":[{"name":"writer"}],
"tools":[{"name":"search"}],"memory_config":{"k":5}})"};
    return entity;
}

const Entity& describe(const LangChainExport*)
{
    static const Entity entity{
        .name = "langchain_export",
        .doc = "A team, and what it is in LangChain.",
        .fields = {field("agentx_team", &LangChainExport::agentx_team, "The team.", {.required = true}),
                   field("langchain_equivalent", &LangChainExport::langchain_equivalent, "The same for LangChain.",
                         {.required = true}),
                   field("migration_notes", &LangChainExport::migration_notes, "What could not be said there.",
                         {.required = true})},
        .example =
            R"({"agentx_team":{"name":"one","description":"","version":"1.0.0","default_llm":{"provider":"deepseek",
"model":"deepseek-chat","temperature":0.7,"max_tokens":null,"api_key":null,"base_url":null,"timeout":30,
"retry_policy":{}},"agents":[{"name":"writer","role":"Writes.","prompt_template":"prompts/writer.j2",
"llm_config":null,"tools":[],"memory_config":null,"guardrail_policies":[],"collaboration_patterns":[],
"max_parallel_tasks":1}],"tools":[],"handoff_rules":[],"collaboration_patterns":[],
"guardrail_policies":[],"memory_config":{"short_term_limit":10000,"long_term_enabled":true,
"semantic_search_enabled":true,"consolidation_interval":3600,"vector_db_config":{}},
"execution_config":{"mode":"autonomous","timeout":null,"max_steps":null,"breakpoints":[],
"human_intervention_points":[],"success_criteria":[],"failure_criteria":[]},"deployment_config":{}},
"langchain_equivalent":{"chain_type":"llm"},"migration_notes":["Guardrails have no counterpart."]})"};
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
                               .example = R"({"group_chat_config":{"max_round":12},"agents":[{"name":"writer"}],
"conversation_patterns":[{"type":"round_robin"}]})"};
    return entity;
}

const Entity& describe(const AutoGenExport*)
{
    static const Entity entity{
        .name = "autogen_export",
        .doc = "A team, and what it is in AutoGen.",
        .fields = {field("agentx_team", &AutoGenExport::agentx_team, "The team.", {.required = true}),
                   field("autogen_equivalent", &AutoGenExport::autogen_equivalent, "The same for AutoGen.",
                         {.required = true}),
                   field("pattern_mappings", &AutoGenExport::pattern_mappings, "What each pattern became.",
                         {.required = true})},
        .example =
            R"({"agentx_team":{"name":"one","description":"","version":"1.0.0","default_llm":{"provider":"deepseek",
"model":"deepseek-chat","temperature":0.7,"max_tokens":null,"api_key":null,"base_url":null,"timeout":30,
"retry_policy":{}},"agents":[{"name":"writer","role":"Writes.","prompt_template":"prompts/writer.j2",
"llm_config":null,"tools":[],"memory_config":null,"guardrail_policies":[],"collaboration_patterns":[],
"max_parallel_tasks":1}],"tools":[],"handoff_rules":[],"collaboration_patterns":[],
"guardrail_policies":[],"memory_config":{"short_term_limit":10000,"long_term_enabled":true,
"semantic_search_enabled":true,"consolidation_interval":3600,"vector_db_config":{}},
"execution_config":{"mode":"autonomous","timeout":null,"max_steps":null,"breakpoints":[],
"human_intervention_points":[],"success_criteria":[],"failure_criteria":[]},"deployment_config":{}},
"autogen_equivalent":{"group_chat":{}},"pattern_mappings":{"vote":"group_chat"}})"};
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
        .example =
            R"({"crew_config":{"process":"sequential"},"agents":[{"role":"writer"}],"tasks":[{"description":"Write."}],
"tools":[{"name":"search"}]})"};
    return entity;
}

const Entity& describe(const CrewAIExport*)
{
    static const Entity entity{
        .name = "crewai_export",
        .doc = "A team, and what it is in CrewAI.",
        .fields = {field("agentx_team", &CrewAIExport::agentx_team, "The team.", {.required = true}),
                   field("crewai_equivalent", &CrewAIExport::crewai_equivalent, "The same for CrewAI.",
                         {.required = true}),
                   field("role_mappings", &CrewAIExport::role_mappings, "What each agent's role became.",
                         {.required = true})},
        .example =
            R"({"agentx_team":{"name":"one","description":"","version":"1.0.0","default_llm":{"provider":"deepseek",
"model":"deepseek-chat","temperature":0.7,"max_tokens":null,"api_key":null,"base_url":null,"timeout":30,
"retry_policy":{}},"agents":[{"name":"writer","role":"Writes.","prompt_template":"prompts/writer.j2",
"llm_config":null,"tools":[],"memory_config":null,"guardrail_policies":[],"collaboration_patterns":[],
"max_parallel_tasks":1}],"tools":[],"handoff_rules":[],"collaboration_patterns":[],
"guardrail_policies":[],"memory_config":{"short_term_limit":10000,"long_term_enabled":true,
"semantic_search_enabled":true,"consolidation_interval":3600,"vector_db_config":{}},
"execution_config":{"mode":"autonomous","timeout":null,"max_steps":null,"breakpoints":[],
"human_intervention_points":[],"success_criteria":[],"failure_criteria":[]},"deployment_config":{}},
"crewai_equivalent":{"agents":[]},"role_mappings":{"writer":"Writes."}})"};
    return entity;
}

}  // namespace cadre::model::agentx
