#include "model/reply.hpp"

#include "model/describe.hpp"

#include <algorithm>

namespace cadre::model {

namespace {

std::size_t completed(std::span<const Call> calls)
{
    return static_cast<std::size_t>(std::count_if(
        calls.begin(), calls.end(), [](const Call& call) { return call.status == CallStatus::completed; }));
}

}  // namespace

std::span<const EnumName> names_of(const Confidence*)
{
    static constexpr EnumName names[] = {
        {int(Confidence::high), "high"}, {int(Confidence::medium), "medium"}, {int(Confidence::low), "low"}};
    return names;
}

const Entity& describe(const Reply*)
{
    static const Entity entity{
        .name = "reply",
        .doc = "What a task answers in the end.",
        .fields =
            {
                field("task", &Reply::task, "Id of the task.", {.required = true}),
                field("agent", &Reply::agent, "Who answered.", {.required = true}),
                field("text", &Reply::text, "The answer.", {.required = true}),
                field("ok", &Reply::ok, "Whether it is what was asked for, or an apology."),
                field("error", &Reply::error, "What went wrong, when it is an apology."),
                field("elapsed_ms", &Reply::elapsed_ms, "From the question to the answer.", {.min = 0}),
                field("sources", &Reply::sources, "What the answer rests on, like `inventory.genie`."),
                field("calls", &Reply::calls, "Tool calls made for it."),
                field("suggestions", &Reply::suggestions, "What could be asked next."),
                field("confidence", &Reply::confidence, "How complete the data behind it is."),
                field("partial", &Reply::partial, "Whether some calls failed and it was made all the same."),
                field("formatted", &Reply::formatted, "The answer in the form that its channel wants."),
            },
        .demands = {{.when = {is("ok", {"false"})}, .then = given("error"), .says = "is required when ok is false"}},
        .example = R"({"task":"3f2b8c1e-9d4a-4e6b-8f7a-1c2d3e4f5a6b","agent":"analyst","text":"Product A, 25%.",
            "ok":true,"error":null,"elapsed_ms":12500,"sources":["inventory.genie"],"calls":[],
            "suggestions":["Shall I look at prices too?"],"confidence":"high","partial":false,"formatted":null})",
    };
    return entity;
}

Confidence confidence_of(std::span<const Call> calls)
{
    const std::size_t good = completed(calls);
    if (good == calls.size()) return Confidence::high;
    return good * 2 >= calls.size() ? Confidence::medium : Confidence::low;
}

bool is_partial(std::span<const Call> calls)
{
    return completed(calls) < calls.size();
}

}  // namespace cadre::model
