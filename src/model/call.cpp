#include "model/call.hpp"

#include "model/describe.hpp"

#include <boost/json.hpp>

namespace cadre::model {

namespace json = boost::json;

namespace {

void check_call_times(const Call& call, const Path& path, Problems& problems)
{
    if (call.completed_at && call.started_at && *call.completed_at < *call.started_at)
        problems.add(Path(path, "completed_at"), "must not be before started_at");
}

}  // namespace

std::span<const EnumName> names_of(const CallStatus*)
{
    static constexpr EnumName names[] = {
        {int(CallStatus::pending), "pending"},     {int(CallStatus::in_progress), "in_progress"},
        {int(CallStatus::completed), "completed"}, {int(CallStatus::failed), "failed"},
        {int(CallStatus::timeout), "timeout"},
    };
    return names;
}

const Entity& describe(const Call*)
{
    static const Entity entity{
        .name = "call",
        .doc = "One use of a tool, from the wish to its outcome.",
        .fields =
            {
                field("id", &Call::id, "Its id; one that another program made is kept as it came.",
                      {.required = true, .min_length = 1}),
                field("tool", &Call::tool, "Name of the tool.", {.required = true, .min_length = 1}),
                field("server", &Call::server, "MCP server that offers the tool, if one does."),
                field("domain", &Call::domain, "Data domain that was asked, if one was."),
                field("args", &Call::args, "Arguments, as the tool's input schema says."),
                field("status", &Call::status, "How far it is."),
                field("result", &Call::result, "What the tool answered."),
                field("error", &Call::error, "Why it failed; what a command wrote to stderr."),
                field("started_at", &Call::started_at, "When it was dispatched."),
                field("completed_at", &Call::completed_at, "When its outcome was known."),
                field("timeout_ms", &Call::timeout_ms, "Limit of this call alone.", {.min = 1}),
                field("retry", &Call::retry, "Retry policy of this call alone."),
                field("attempts", &Call::attempts, "How often it was dispatched.", {.min = 0}),
                field("exit_code", &Call::exit_code, "Exit code of a command."),
                field("usage", &Call::usage, "Resources used: CPU, memory and the like."),
                field("artifacts", &Call::artifacts, "Paths of the files it made."),
            },
        .demands = {{.when = {given("completed_at")},
                     .then = given("started_at"),
                     .says = "is required once completed_at is known"},
                    {.when = {given("result")},
                     .then = !is("status", {"pending", "in_progress"}),
                     .says = "must be a final one when there is an outcome"},
                    {.when = {given("error")},
                     .then = !is("status", {"pending", "in_progress"}),
                     .says = "must be a final one when there is an outcome"}},
        .checks = {check<Call>({"started_at", "completed_at"}, "`completed_at` is not before `started_at`.",
                               check_call_times)},
        .example = R"({"id":"7c9e6679-7425-40de-944b-e07fc1f90ae7","tool":"search","server":"web","domain":null,
            "args":{"query":"tide tables"},"status":"completed","result":{"hits":3},"error":null,
            "started_at":"2025-11-02T10:30:05Z","completed_at":"2025-11-02T10:30:12Z","timeout_ms":30000,"retry":null,
            "attempts":1,"exit_code":null,"usage":null,"artifacts":[]})",
    };
    return entity;
}

bool is_finished(CallStatus status)
{
    return status != CallStatus::pending && status != CallStatus::in_progress;
}

std::optional<std::int64_t> duration_ms(const Call& call)
{
    if (!call.started_at || !call.completed_at) return std::nullopt;
    return (*call.completed_at - *call.started_at).count();
}

json::object as_dict(const json::value& result)
{
    if (const json::object* object = result.if_object()) return *object;
    return {{"value", result}};
}

json::value from_dict(const json::object& dict)
{
    if (dict.size() == 1 && dict.contains("value") && !dict.at("value").is_object()) return dict.at("value");
    return dict;
}

}  // namespace cadre::model
