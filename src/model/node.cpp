#include "model/node.hpp"

#include "model/describe.hpp"

#include <boost/json.hpp>

#include <string_view>
#include <vector>

namespace cadre::model {

namespace {

constexpr Rule kExtension{.extension = true};

Demand demand_of(std::string_view type, std::string_view what, std::string_view says)
{
    return {.when = {is("type", {type})}, .then = filled(what), .says = says};
}

}  // namespace

std::span<const EnumName> names_of(const NodeType*)
{
    static constexpr EnumName names[] = {
        {int(NodeType::agent), "agent"},       {int(NodeType::tool), "tool"}, {int(NodeType::condition), "condition"},
        {int(NodeType::human), "human"},       {int(NodeType::loop), "loop"}, {int(NodeType::map), "map"},
        {int(NodeType::workflow), "workflow"}, {int(NodeType::team), "team"},
    };
    return names;
}

std::span<const EnumName> names_of(const NodeContext*)
{
    static constexpr EnumName names[] = {{int(NodeContext::answers), "answers"},
                                         {int(NodeContext::last), "last"},
                                         {int(NodeContext::full), "full"},
                                         {int(NodeContext::none), "none"}};
    return names;
}

std::span<const EnumName> names_of(const OnError*)
{
    static constexpr EnumName names[] = {{int(OnError::fail), "fail"}, {int(OnError::carry_on), "continue"}};
    return names;
}

std::span<const EnumName> names_of(const JoinPolicy*)
{
    static constexpr EnumName names[] = {{int(JoinPolicy::fail_fast), "fail_fast"},
                                         {int(JoinPolicy::collect), "collect"},
                                         {int(JoinPolicy::first), "first"},
                                         {int(JoinPolicy::quorum), "quorum"}};
    return names;
}

const Entity& describe(const Join*)
{
    static const Entity entity{
        .name = "join_def",
        .doc = "What a node of a workflow waits for, where several ways meet.",
        .fields = {field("policy", &Join::policy,
                         "All of them (`fail_fast`; `collect`: failures are values), the `first`, or `k` of them."),
                   field("k", &Join::k, "How many a quorum is.", {.min = 1}),
                   field("winner", &Join::winner, "Field of the state to the node whose value counts.")},
        .demands = {{.when = {is("policy", {"quorum"})}, .then = given("k"), .says = "is required for a quorum"}},
        .example = R"({"policy":"quorum","k":2,"winner":{"verdict":"lawyer"}})"};
    return entity;
}

const Entity& describe(const NodeRetry*)
{
    static const Entity entity{
        .name = "node_retry",
        .doc = "How often a node of a workflow is tried.",
        .fields = {field("max", &NodeRetry::max, "Attempts, the first included.", {.min = 1, .max = 100}),
                   field("delay", &NodeRetry::delay, "Seconds between two.", {.min = 0, .max = 86'400})},
        .example = R"({"max":3,"delay":2.5})"};
    return entity;
}

const Entity& describe(const LoopDef*)
{
    static const Entity entity{
        .name = "loop_def",
        .doc = "A body that runs again until a condition holds, with a limit.",
        .fields = {field("max", &LoopDef::max, "Turns, at most.", {.required = true, .min = 1, .max = 10'000}),
                   field("until", &LoopDef::until, "Expression over the state that ends it; null: `max` turns."),
                   field("workflow", &LoopDef::workflow, "Its body; null: the node's agent or tool."),
                   field("on_limit", &LoopDef::on_limit, "Whether it fails when `max` turns were not enough.")},
        .example = R"({"max":3,"until":"state.approved","workflow":"draft","on_limit":"fail"})"};
    return entity;
}

const Entity& describe(const MapDef*)
{
    static const Entity entity{
        .name = "map_def",
        .doc = "A body that runs for each item of a list, several at the same time.",
        .fields = {field("over", &MapDef::over, "Expression over the state: the list.",
                         {.required = true, .min_length = 1}),
                   field("as", &MapDef::as, "What the body calls its item.", {.format = Format::snake_name}),
                   field("key", &MapDef::key, "Expression over the item that names it; null: its place in the list."),
                   field("width", &MapDef::width, "Items at work at the same time.", {.min = 1, .max = 1'000}),
                   field("policy", &MapDef::policy, "Which of them it waits for, and what a failure does."),
                   field("k", &MapDef::k, "How many a quorum is.", {.min = 1}),
                   field("into", &MapDef::into, "Field of the state that becomes the list of results."),
                   field("workflow", &MapDef::workflow, "Its body; null: the node's agent or tool.")},
        .demands = {{.when = {is("policy", {"quorum"})}, .then = given("k"), .says = "is required for a quorum"}},
        .example =
            R"({"over":"state.rows","as":"row","key":"row.id","width":4,"policy":"collect","k":null,"into":"clean",
"workflow":null})"};
    return entity;
}

const Entity& describe(const NodeDef*)
{
    static const Entity entity{
        .name = "node_def",
        .doc = "One node of a workflow.",
        .fields =
            {
                field("type", &NodeDef::type, "What happens there.", {.required = true}),
                field("agent", &NodeDef::agent, "Agent at work, for a node of type agent."),
                field("tool", &NodeDef::tool, "Tool to call, for a node of type tool."),
                field("prompt", &NodeDef::prompt,
                      "Template: what its agent is told in place of the task's text, or what a person is asked.",
                      kExtension),
                field("context", &NodeDef::context, "What its agent hears of the nodes before it.", kExtension),
                field("output", &NodeDef::output, "Field of the state that becomes its answer.", kExtension),
                field("set", &NodeDef::set, "Fields of the state, each with the expression for its value.", kExtension),
                field("args", &NodeDef::args,
                      "Arguments of its tool; texts are templates. None: taken by name from the task's input and the "
                      "state.",
                      kExtension),
                field("timeout", &NodeDef::timeout, "Seconds that it may take; null: no limit of its own.",
                      {.max = 31'536'000, .above = 0, .extension = true}),
                field("retry", &NodeDef::retry, "How often it is tried; null: once.", kExtension),
                field("on_error", &NodeDef::on_error,
                      "Whether its failure ends the workflow, or is a value for the nodes after it.", kExtension),
                field("join", &NodeDef::join, "What it waits for, where several ways meet in it; null: all of them.",
                      kExtension),
                field("loop", &NodeDef::loop, "For a node of type loop.", kExtension),
                field("map", &NodeDef::map, "For a node of type map.", kExtension),
                field("workflow", &NodeDef::workflow, "Workflow to run, for a node of type workflow.", kExtension),
                field("pattern", &NodeDef::pattern, "Collaboration pattern to run, for a node of type team.",
                      kExtension),
                field("ext", &NodeDef::ext, "What Cadre knows about it and this format has no field for.", kExtension),
            },
        .demands = {demand_of("agent", "agent", "is required for a node of type agent"),
                    demand_of("tool", "tool", "is required for a node of type tool"),
                    demand_of("loop", "loop", "is required for a node of type loop"),
                    demand_of("map", "map", "is required for a node of type map"),
                    demand_of("workflow", "workflow", "is required for a node of type workflow"),
                    demand_of("team", "pattern", "is required for a node of type team")},
        .example = R"({"type":"agent","agent":"writer","tool":null})",
    };
    return entity;
}

}  // namespace cadre::model
