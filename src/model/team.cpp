#include "model/team.hpp"

#include "model/describe.hpp"
#include "model/team_check.hpp"

namespace cadre::model {

std::span<const EnumName> names_of(const HandoffType*)
{
    static constexpr EnumName names[] = {{int(HandoffType::sequential), "sequential"},
                                         {int(HandoffType::parallel), "parallel"},
                                         {int(HandoffType::hierarchical), "hierarchical"}};
    return names;
}

std::span<const EnumName> names_of(const PatternType*)
{
    static constexpr EnumName names[] = {{int(PatternType::parallel), "parallel"},
                                         {int(PatternType::hierarchical), "hierarchical"},
                                         {int(PatternType::consensus), "consensus"}};
    return names;
}

const Entity& describe(const HandoffRule*)
{
    static const Entity entity{
        .name = "handoff_rule",
        .doc = "Allows one agent to hand the work to another.",
        .fields = {field("from_agent", &HandoffRule::from_agent, "Who may hand over.",
                         {.required = true, .min_length = 1}),
                   field("to_agent", &HandoffRule::to_agent, "To whom.", {.required = true, .min_length = 1}),
                   field("condition", &HandoffRule::condition, "An expression over the state; null: always."),
                   field("handoff_type", &HandoffRule::handoff_type, "What the first agent does meanwhile.")},
        .example =
            R"({"from_agent":"planner","to_agent":"writer","condition":"state.outline_done","handoff_type":"parallel"})"};
    return entity;
}

const Entity& describe(const CollaborationPattern*)
{
    static const Entity entity{
        .name = "collaboration_pattern",
        .doc = "A way in which some agents work on one thing.",
        .fields = {field("name", &CollaborationPattern::name, "Unique in its team.",
                         {.required = true, .min_length = 1}),
                   field("type", &CollaborationPattern::type, "Which way.", {.required = true}),
                   field("agents", &CollaborationPattern::agents, "Who takes part.",
                         {.required = true, .min_length = 1, .unique = true, .says = "must name at least one agent"}),
                   field("coordination_agent", &CollaborationPattern::coordination_agent,
                         "Who hands out the work and merges it; breaks a tie."),
                   field("config", &CollaborationPattern::config,
                         "Settings: `sync_points` of parallel work; `rule`, `weights`, `timeout` in seconds, `rounds`, "
                         "`quorum` "
                         "and `otherwise` of a consensus.")},
        .checks = {check<CollaborationPattern>(
            {"type", "agents", "coordination_agent", "config"},
            "`config` is a parallel_config or a consensus_config, by `type`; weights are those of agents that vote, "
            "the quorum can be reached, and a coordinator who decides is there.",
            check_pattern,
            R"({"allOf":[{"if":{"properties":{"type":{"const":"parallel"}}},
            "then":{"properties":{"config":{"$ref":"#/$defs/parallel_config"}}}},
            {"if":{"properties":{"type":{"const":"consensus"}}},
            "then":{"properties":{"config":{"$ref":"#/$defs/consensus_config"}}}}]})")},
        .example = R"({"name":"vote","type":"consensus","agents":["planner","writer"],"coordination_agent":"planner",
"config":{"rule":"majority"}})"};
    return entity;
}

const Entity& describe(const ExecutionConfig*)
{
    static const Entity entity{
        .name = "execution_config",
        .doc = "How a task of the team is run, and when it ends.",
        .fields =
            {field("mode", &ExecutionConfig::mode, "By itself, step by step, or with a person."),
             field("timeout", &ExecutionConfig::timeout, "Seconds that the task may take; null: no limit.", {.min = 1}),
             field("max_steps", &ExecutionConfig::max_steps, "Steps that the task may take; null: 50.", {.min = 1}),
             field("breakpoints", &ExecutionConfig::breakpoints, "Agents and tools before which the task pauses."),
             field("human_intervention_points", &ExecutionConfig::human_intervention_points,
                   "Tools whose calls, and agents all of whose tool calls, a person must agree to. Mode `hitl` without "
                   "any: all calls."),
             field("success_criteria", &ExecutionConfig::success_criteria,
                   "What ends the task as a success: `expr:` and an expression, or a sentence that the model judges."),
             field("failure_criteria", &ExecutionConfig::failure_criteria, "The same for a failure."),
             field("pattern", &ExecutionConfig::pattern,
                   "How a task of the team begins: the name of a collaboration pattern, or `plan`; null: with the "
                   "first agent, or with the only pattern of a team without handoff rules.",
                   {.min_length = 1, .extension = true})},
        .example = R"({"mode":"step","timeout":900,"max_steps":40,"breakpoints":["writer"],
"human_intervention_points":["publish"],"success_criteria":["expr: state.done"],
"failure_criteria":["The text insults somebody."]})"};
    return entity;
}

const Entity& describe(const Team*)
{
    static const Entity entity{
        .name = "team",
        .doc = "Agents, their tools, and the rules by which they work together.",
        .fields = {field("name", &Team::name, "What it is called.", {.required = true, .min_length = 1}),
                   field("description", &Team::description, "What it is for.", {.required = true}),
                   field("version", &Team::version, "Version of this configuration.", {.min_length = 1}),
                   field("default_llm", &Team::default_llm,
                         "The model of agents that name none; `{}` takes the defaults.", {.required = true}),
                   field("agents", &Team::agents, "Its members.",
                         {.required = true, .min_length = 1, .says = "a team needs at least one agent"}),
                   field("tools", &Team::tools, "What its members may be given.", {.required = true}),
                   field("handoff_rules", &Team::handoff_rules,
                         "Who may hand over to whom; no other handoff is allowed."),
                   field("collaboration_patterns", &Team::collaboration_patterns,
                         "Ways in which members work together."),
                   field("guardrail_policies", &Team::guardrail_policies, "Rules for what comes in and goes out."),
                   field("memory_config", &Team::memory_config, "What it remembers."),
                   field("execution_config", &Team::execution_config, "How its tasks are run."),
                   field("deployment_config", &Team::deployment_config, "Settings of the place where it runs."),
                   field("permissions", &Team::permissions, "Which calls are refused, allowed or asked about.",
                         {.extension = true}),
                   field("id", &Team::id, "Its name in URLs and file names; null: made from `name`.",
                         {.max_length = 128, .format = Format::file_name, .extension = true}),
                   field("templates", &Team::templates,
                         "Texts of the templates that agents name, and of what these include, by path. Taken from the "
                         "project's files when a task is created; a team file leaves it out.",
                         {.extension = true})},
        .home = {Home::Kind::yaml_file, "`teams/NAME.yaml` or `team.yaml`"},
        .checks = {check<Team>(
            {},
            "Names of agents, of tools, of patterns and of policies are unique, and so are aliases of "
            "agents; who names one names one of this team, a built-in tool, or a server's tool as `server.tool`.",
            check_team)},
        .example = R"({"name":"Newsroom","description":"Writes short articles.","version":"1.0.0","default_llm":{
"provider":"openai","model":"gpt-4o-mini","temperature":0.7,"max_tokens":null,"api_key":"${OPENAI_API_KEY}","base_url":null,
"timeout":30,"retry_policy":{}},"agents":[{"name":"researcher","role":"Finds out.","prompt_template":null,
"llm_config":null,"tools":["search"],"memory_config":null,"guardrail_policies":[],"collaboration_patterns":[],
"max_parallel_tasks":1,"prompt":"Find three sources."},{"name":"writer","role":"Writes.",
"prompt_template":"prompts/writer.j2","llm_config":null,"tools":[],"memory_config":null,"guardrail_policies":[],
"collaboration_patterns":[],"max_parallel_tasks":1}],"tools":[{"name":"search","type":"mcp","config":{},"path":null,
"function":null,"server_url":"https://tools.example.org/mcp","timeout":20,"escalation_policy":null}],
"handoff_rules":[{"from_agent":"researcher","to_agent":"writer","condition":null,"handoff_type":"sequential"}],"collaboration_patterns":[],
"guardrail_policies":[],"memory_config":{"short_term_limit":10000,"long_term_enabled":true,
"semantic_search_enabled":true,"consolidation_interval":3600,"vector_db_config":{}},
"execution_config":{"mode":"autonomous","timeout":null,"max_steps":null,"breakpoints":[],
"human_intervention_points":[],"success_criteria":[],"failure_criteria":[]},"deployment_config":{}})"};
    return entity;
}

}  // namespace cadre::model
