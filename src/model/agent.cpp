#include "model/agent.hpp"

#include "model/describe.hpp"
#include "model/names.hpp"

namespace cadre::model {

std::string alias_of(const Agent& agent)
{
    return agent.alias ? *agent.alias : alias_of(agent.name);
}

const Entity& describe(const AgentSkill*)
{
    static const Entity entity{
        .name = "agent_skill",
        .doc = "Something an agent is good at.",
        .fields = {field("name", &AgentSkill::name, "What it is.", {.required = true, .min_length = 1}),
                   field("examples", &AgentSkill::examples, "Requests that ask for it.")},
        .example = R"({"name":"lights","examples":["turn the lights off"]})"};
    return entity;
}

const Entity& describe(const AgentCard*)
{
    static const Entity entity{
        .name = "agent_card",
        .doc = "What others are told about an agent, so that they can choose it.",
        .fields = {field("description", &AgentCard::description, "What it does."),
                   field("tags", &AgentCard::tags, "Words to find it by."),
                   field("skills", &AgentCard::skills, "What it is good at.")},
        .example =
            R"({"description":"Controls the lights.","tags":["home"],"skills":[{"name":"lights","examples":["turn the lights off"]}]})"};
    return entity;
}

const Entity& describe(const Agent*)
{
    static const Entity entity{
        .name = "agent",
        .doc = "A role, a prompt, a model and the tools it may call.",
        .fields =
            {field("name", &Agent::name, "Unique in its team.",
                   {.required = true, .max_length = 64, .format = Format::snake_name}),
             field("role", &Agent::role, "What it is for.", {.required = true, .min_length = 1}),
             field("prompt_template", &Agent::prompt_template,
                   "Path of the template of its system prompt; this or `prompt` is needed.", {.min_length = 1}),
             field("llm_config", &Agent::llm_config, "Its model; null: the team's."),
             field("tools", &Agent::tools, "Names of the tools it may call.", {.unique = true}),
             field("memory_config", &Agent::memory_config, "What it remembers; null: the team's."),
             field("guardrail_policies", &Agent::guardrail_policies, "Names of the policies that apply to it.",
                   {.unique = true}),
             field("collaboration_patterns", &Agent::collaboration_patterns, "Names of the patterns it takes part in.",
                   {.unique = true}),
             field("max_parallel_tasks", &Agent::max_parallel_tasks, "Turns it may take at the same time.", {.min = 1}),
             field("prompt", &Agent::prompt, "The text of its system prompt; this or `prompt_template` is needed.",
                   {.min_length = 1, .extension = true}),
             field("alias", &Agent::alias, "Its name in A2A, the protocol between agents; null: its name with - for _.",
                   {.format = Format::alias, .extension = true}),
             field("display_name", &Agent::display_name, "What people call it.", {.min_length = 1, .extension = true}),
             field("max_iterations", &Agent::max_iterations, "Model calls before it gives up.",
                   {.min = 1, .extension = true}),
             field("temperature", &Agent::temperature, "How freely it speaks; wins over its model's.",
                   {.min = 0, .max = 2, .extension = true}),
             field("timeout", &Agent::timeout,
                   "Seconds of one attempt; null: 30 when it is chosen by routing, else no limit.",
                   {.min = 1, .extension = true}),
             field("card", &Agent::card, "What other agents and people are told about it.", {.extension = true}),
             field("output_schema", &Agent::output_schema,
                   "JSON Schema that its answer must meet, as JSON; null: its answer is text.", {.extension = true}),
             field(
                 "knowledge", &Agent::knowledge,
                 "Folders and files, from the project's folder, that it may search with `search_knowledge`: Markdown, "
                 "text, HTML, PDF.",
                 {.unique = true, .extension = true})},
        .home = {Home::Kind::yaml_file, "`agents/NAME.yaml`"},
        .demands = {{.when = {!given("prompt")},
                     .then = given("prompt_template"),
                     .says = "is required; or give the text itself as prompt"},
                    {.when = {given("prompt_template")},
                     .then = !given("prompt"),
                     .says = "cannot stand beside prompt_template; give one of the two"}},
        .example = R"({"name":"planner","role":"Plans the work.","prompt_template":"prompts/planner.j2",
"llm_config":{"provider":"openai","model":"gpt-4o-mini","temperature":0.2,"max_tokens":1024,
"api_key":"${OPENAI_API_KEY}","base_url":"https://api.openai.com/v1","timeout":60,
"retry_policy":{"max_retries":2}},"tools":["search","ask_ann"],"memory_config":{"short_term_limit":4000,
"long_term_enabled":false,"semantic_search_enabled":false,"consolidation_interval":60,
"vector_db_config":{"encoder":"minilm"}},"guardrail_policies":["calm"],
"collaboration_patterns":["vote"],"max_parallel_tasks":2})",
        .other_file = {.field = "system_prompt", .entity = "framework_agent"}};
    return entity;
}

}  // namespace cadre::model
