#include "model/node_result.hpp"

#include "model/describe.hpp"

namespace cadre::model {

const Entity& describe(const Said*)
{
    static const Entity entity{
        .name = "said",
        .doc = "Something that was said in a node of a workflow.",
        .fields = {field("by", &Said::by, "The agent or the person.", {.extension = true}),
                   field("role", &Said::role, "`user`: a person; `tool`: a call and its result.", {.extension = true}),
                   field("text", &Said::text, "The words.", {.required = true})},
        .example = R"({"by":"writer","text":"A draft."})"};
    return entity;
}

const Entity& describe(const NodeWork*)
{
    static const Entity entity{
        .name = "node_work",
        .doc = "What was done in a node of a workflow.",
        .fields = {field("said", &NodeWork::said, "What was said, in order.", {.extension = true}),
                   field("update", &NodeWork::update, "What it did to the state.", {.extension = true}),
                   field("key", &NodeWork::key, "Which way on.", {.extension = true})},
        .example = R"({"said":[{"by":"writer","text":"A draft."}],"update":{"metadata":{"draft":"A draft."}}})"};
    return entity;
}

const Entity& describe(const NodeResult*)
{
    static const Entity entity{
        .name = "node_result",
        .doc = "What a node of a workflow came to.",
        .fields = {field("work", &NodeResult::work, "What was done.", {.extension = true}),
                   field("after", &NodeResult::after, "The nodes before it that counted.", {.extension = true}),
                   field("next", &NodeResult::next, "The nodes that it led to.", {.required = true}),
                   field("error", &NodeResult::error, "Why it failed, where something follows all the same.",
                         {.extension = true}),
                   field("dead_end", &NodeResult::dead_end, "Why none of its edges led on.", {.extension = true}),
                   field("state", &NodeResult::state,
                         "The state after it, where what the node before it left and the update do not tell it.",
                         {.extension = true}),
                   field("reduced", &NodeResult::reduced, "Fields of the state that a reducer made.",
                         {.extension = true})},
        .example = R"({"work":{"said":[{"by":"writer","text":"A draft."}]},"next":["review"]})"};
    return entity;
}

}  // namespace cadre::model
