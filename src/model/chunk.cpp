#include "model/chunk.hpp"

#include "model/describe.hpp"

namespace cadre::model {

const Entity& describe(const StreamChunk*)
{
    static const Entity entity{
        .name = "stream_chunk",
        .doc = "Tokens of a model, as they come, and what tools say of how far they are.",
        .fields =
            {field("step_id", &StreamChunk::step_id, "The step that is being made; with `progress`, the tool call.",
                   {.required = true, .min_length = 1}),
             field("agent_name", &StreamChunk::agent_name, "Who is speaking.", {.required = true, .min_length = 1}),
             field("text", &StreamChunk::text, "What came.", {.required = true}),
             field("is_final", &StreamChunk::is_final, "Whether it is the last of its answer."),
             field("token_count", &StreamChunk::token_count, "Tokens in it.", {.min = 0}),
             field("timestamp", &StreamChunk::timestamp, "When it came.", {.fill = Fill::now}),
             field("aborted", &StreamChunk::aborted, "The answer broke off here; another attempt is another step.",
                   {.extension = true}),
             field("throttled_until", &StreamChunk::throttled_until, "The vendor wants no request before then.",
                   {.extension = true}),
             field("task_id", &StreamChunk::task_id,
                   "The task that it is of, where that is one below the task that is watched.", {.extension = true}),
             field("progress", &StreamChunk::progress, "How far a tool is, in its own words; `text` is empty.",
                   {.extension = true})},
        .tag = "content_chunk",
        .home = {Home::Kind::message, "over the WebSocket of a task"},
        .example = R"({"type":"content_chunk","step_id":"step_6f1c8a2e4b7d4c3fa9e05d1b2c3a4f60","agent_name":"writer",
"text":"The rep","is_final":true,"token_count":3,"timestamp":"2025-11-02T10:30:00Z"})"};
    return entity;
}

}  // namespace cadre::model
