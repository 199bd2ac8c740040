#include "model/views/domains.hpp"

#include "model/describe.hpp"
#include "model/descriptions.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::model::domains {

namespace {

constexpr std::string_view kUnfinished = "must be completed, failed or timeout when there is a result or an error";

void check_call_times(const ToolCall& call, const Path& path, Problems& problems)
{
    if (!call.completed_at || !call.started_at) return;
    if (*call.completed_at < *call.started_at)
        problems.add(Path(path, "completed_at"), "must not be before started_at");
    const std::int64_t took = (*call.completed_at - *call.started_at).count();
    if (call.execution_time_ms && *call.execution_time_ms != took)
        problems.add(Path(path, "execution_time_ms"),
                     fmt::format("must be completed_at - started_at, which is {}", took));
}

void check_turns(const Conversation& conversation, const Path& path, Problems& problems)
{
    if (conversation.messages.empty()) return;
    const Path list(path, "messages");
    if (conversation.messages[0].role != Speaker::user)
        problems.add(Path(list, 0), "must be the user's: it is the first");
    for (std::size_t i = 1; i < conversation.messages.size(); ++i)
        if (conversation.messages[i].role == conversation.messages[i - 1].role)
            problems.add(Path(list, i), "must not have the role of the one before it: user and assistant take turns");
}

void check_updated(const Conversation& conversation, const Path& path, Problems& problems)
{
    const Path updated(path, "last_updated");
    if (conversation.last_updated < conversation.created_at) problems.add(updated, "must not be before created_at");
    if (!conversation.messages.empty() && conversation.last_updated != conversation.messages.back().timestamp)
        problems.add(updated, "must be the timestamp of the last message");
}

/// What `ext` says of a domain is text, and its `poll` one of the domain's tools.
void check_extensions(const Domain& domain, const Path& path, Problems& problems)
{
    const Path ext(path, "ext");
    for (const char* name : {"source", "poll"}) {
        const auto* value = domain.ext.if_contains(name);
        if (!value) continue;
        if (!value->is_string() || value->get_string().empty()) problems.add(Path(ext, name), "must be a text");
        else if (name == std::string_view("poll") &&
                 std::ranges::find(domain.mcp_tools, std::string_view(value->get_string())) == domain.mcp_tools.end())
            problems.add(Path(ext, name), "must be one of the domain's mcp_tools");
    }
}

std::string_view domain_of(std::string_view source)
{
    return source.substr(0, source.find('.'));
}

void check_answer(const AnswerView& answer, const Path& path, Problems& problems)
{
    const auto& calls = answer.tool_calls_made;
    const Path sources(path, "sources");
    const bool from_data =
        std::ranges::any_of(calls, [](const ToolCall& call) { return call.status == CallStatus::completed; });
    if (from_data && answer.sources.empty())
        problems.add(sources, "must name at least one: the answer is based on data");
    for (std::size_t i = 0; i < answer.sources.size(); ++i) {
        const std::string_view domain = domain_of(answer.sources[i]);
        if (std::ranges::none_of(calls, [&](const ToolCall& call) { return call.domain == domain; }))
            problems.add(Path(sources, i), fmt::format("\"{}\" has no call in tool_calls_made", answer.sources[i]));
    }
}

}  // namespace

const Entity& describe(const ToolCall*)
{
    static const Entity entity{
        .name = "domain_tool_call",
        .doc = "One use of a domain's tool.",
        .fields =
            {
                field("tool_id", &ToolCall::tool_id, "Unique.", {.required = true, .min_length = 1}),
                field("tool_name", &ToolCall::tool_name, "A registered MCP tool.", {.required = true, .min_length = 1}),
                field("domain", &ToolCall::domain, "A registered domain.", {.required = true, .min_length = 1}),
                field("input_params", &ToolCall::input_params, "What the tool is called with.", {.required = true}),
                field("status", &ToolCall::status, "How far it is.", {.required = true}),
                field("result", &ToolCall::result, "What the tool answered."),
                field("error", &ToolCall::error, "Why it failed."),
                field("started_at", &ToolCall::started_at, "When the tool was called."),
                field("completed_at", &ToolCall::completed_at, "When it had answered."),
                field("execution_time_ms", &ToolCall::execution_time_ms, "The time between the two.", {.min = 0}),
            },
        .demands =
            {{.when = {given("error")},
              .then = !given("result"),
              .says = "cannot stand beside error; only one of the two can be non-null"},
             {.when = {given("result")}, .then = is("status", {"completed", "failed", "timeout"}), .says = kUnfinished},
             {.when = {given("error")}, .then = is("status", {"completed", "failed", "timeout"}), .says = kUnfinished},
             {.when = {is("status", {"failed"})}, .then = given("error"), .says = "is required when status is failed"},
             {.when = {!is("status", {"pending"})},
              .then = given("started_at"),
              .says = "is required unless status is pending"}},
        .checks = {check<ToolCall>({"started_at", "completed_at", "execution_time_ms"},
                                   "`completed_at` is not before `started_at`, and `execution_time_ms` is the time "
                                   "between the two.",
                                   check_call_times)},
        .example = R"({"tool_id":"tc_123456","tool_name":"query_space_01","domain":"inventory",
            "input_params":{"query":"What is low in stock?"},"status":"completed","result":{"answer":"Product A"},
            "error":null,"started_at":"2025-11-02T10:30:05Z","completed_at":"2025-11-02T10:30:12Z",
            "execution_time_ms":7000})",
    };
    return entity;
}

std::span<const EnumName> names_of(const Speaker*)
{
    static constexpr EnumName names[] = {{int(Speaker::user), "user"}, {int(Speaker::assistant), "assistant"}};
    return names;
}

const Entity& describe(const Message*)
{
    static const Entity entity{
        .name = "domain_message",
        .doc = "A question or an answer; never changed once it is there.",
        .fields =
            {
                field("role", &Message::role, "Who speaks.", {.required = true}),
                field("content", &Message::content, "What is said.", {.required = true, .min_length = 1}),
                field("timestamp", &Message::timestamp, "When it was said.", {.required = true}),
                field("tool_calls", &Message::tool_calls, "Tools called for it; for assistant messages only."),
                field("metadata", &Message::metadata, "Domains that were asked, times and the like."),
            },
        .demands = {{.when = {!is("role", {"assistant"})},
                     .then = !given("tool_calls"),
                     .says = "are for assistant messages only"}},
        .example = R"({"role":"user","content":"What is low in stock?","timestamp":"2025-11-02T10:30:00Z",
            "tool_calls":null,"metadata":{}})",
    };
    return entity;
}

const Entity& describe(const Conversation*)
{
    static const Entity entity{
        .name = "conversation",
        .doc = "A session with its whole history.",
        .fields =
            {
                field("session_id", &Conversation::session_id, "Its id.", {.required = true, .format = Format::uuid}),
                field("messages", &Conversation::messages, "All messages, in order.", {.required = true}),
                field("created_at", &Conversation::created_at, "When it began.", {.fill = Fill::now}),
                field("last_updated", &Conversation::last_updated, "Time of the newest message.", {.fill = Fill::now}),
                field("metadata", &Conversation::metadata, "Who the user is, domains that were asked and the like."),
            },
        .home = {Home::Kind::message, "the answer to `GET /sessions/{session_id}`"},
        .checks = {check<Conversation>({"messages", "created_at", "last_updated"},
                                       "`last_updated` is the time of the last message, and not before `created_at`.",
                                       check_updated),
                   check<Conversation>({"messages"},
                                       "The first message is the user's; then user and assistant take turns.",
                                       check_turns, R"({"properties":{"messages":{
            "prefixItems":[{"properties":{"role":{"const":"user"}}}]}}})")},
        .example = R"({"session_id":"550e8400-e29b-41d4-a716-446655440000","messages":[{"role":"user",
            "content":"What is low in stock?","timestamp":"2025-11-02T10:30:00Z","tool_calls":null,"metadata":{}}],
            "created_at":"2025-11-02T10:30:00Z","last_updated":"2025-11-02T10:30:00Z",
            "metadata":{"user_id":"user@example.com"}})",
    };
    return entity;
}

const Entity& describe(const Domain*)
{
    static const Entity entity{
        .name = "domain",
        .doc = "A data domain that can be asked.",
        .fields =
            {
                field("name", &Domain::name, "Unique.", {.required = true, .format = Format::snake_name}),
                field("display_name", &Domain::display_name, "What people call it.", {.required = true}),
                field("description", &Domain::description, "What it knows.", {.required = true}),
                field("capabilities", &Domain::capabilities, "Kinds of questions that it can answer."),
                field("mcp_tools", &Domain::mcp_tools, "Its MCP tools.", {.unique = true}),
                field("related_domains", &Domain::related_domains, "Domains to suggest next.", {.unique = true}),
                field("enabled", &Domain::enabled, "Whether it can be asked now."),
                field("ext", &Domain::ext,
                      "`source`: what its data is called, `genie` if it is not said; `poll`: which of its tools tells "
                      "how far a question is, where names do not (`query_x` and `poll_x`).",
                      {.extension = true}),
            },
        .checks = {check<Domain>({"mcp_tools", "ext"},
                                 "`ext.source` and `ext.poll` are texts, and `poll` one of its tools.",
                                 check_extensions)},
        .example = R"({"name":"inventory","display_name":"Inventory","description":"What is in stock.",
            "capabilities":["Stock levels"],"mcp_tools":["query_space_01"],"related_domains":["pricing"],
            "enabled":true})",
    };
    return entity;
}

const Entity& describe(const AskOptions*)
{
    constexpr double kShortest = 100;
    static const Entity entity{
        .name = "ask_options",
        .doc = "How questions to data domains are answered.",
        .fields =
            {
                field("total_ms", &AskOptions::total_ms, "Longest time from the question to the answer.",
                      {.min = kShortest, .max = static_cast<double>(kAnswerLimitMs)}),
                field("tool_ms", &AskOptions::tool_ms, "Longest time of one tool call, within that.",
                      {.min = 1, .max = static_cast<double>(kToolLimitMs)}),
                field("max_parallel", &AskOptions::max_parallel, "Tool calls at once.", {.min = 1, .max = 64}),
                field("confidence_threshold", &AskOptions::confidence_threshold,
                      "Less sure than this which domains are meant, the person is asked back.", {.min = 0, .max = 1}),
                field("max_attempts", &AskOptions::max_attempts,
                      "Model calls to decide on domains, until it is given up.", {.min = 1, .max = 10}),
                field("router", &AskOptions::router,
                      "Who decides: a `model`, `local` comparison without one, or `auto`, which asks a model where the "
                      "comparison is not sure; null: a model where one can be asked, else local."),
            },
        .example = R"({"total_ms":60000,"tool_ms":50000,"max_parallel":8,"confidence_threshold":0.7,"max_attempts":3,
            "router":null})",
    };
    return entity;
}

const Entity& describe(const Domains*)
{
    static const Entity entity{
        .name = "domains",
        .doc = "The data domains that can be asked. A bare list of them is read too.",
        .fields = {field("domains", &Domains::domains, "The domains.", {.required = true}),
                   field("ask", &Domains::ask, "How questions are answered.", {.extension = true})},
        .home = {Home::Kind::yaml_file, "`config/domains.yaml`"},
        .example = R"({"domains":[{"name":"inventory","display_name":"Inventory","description":"What is in stock.",
            "capabilities":["Stock levels"],"mcp_tools":["query_space_01"],"related_domains":["pricing"],
            "enabled":true}]})",
        .accept =
            [](const boost::json::value& given, boost::json::value& plain) {
                if (given.is_array()) plain = boost::json::object{{"domains", given}};
                return given.is_array();
            },
        .other_form = R"({"type":"array","items":{"$ref":"#/$defs/domain"}})",
    };
    return entity;
}

const Entity& describe(const AnswerView*)
{
    static const Entity entity{
        .name = "domain_answer",
        .doc = "The answer made of what the domains said.",
        .fields =
            {
                field("answer", &AnswerView::answer, "The answer.", {.required = true, .min_length = 1}),
                field("sources", &AnswerView::sources, "What it rests on, like `inventory.genie`.", {.required = true}),
                field("tool_calls_made", &AnswerView::tool_calls_made, "All calls made for it.", {.required = true}),
                field("suggestions", &AnswerView::suggestions, "What could be asked next.",
                      {.max_length = kMaxSuggestions}),
                field("confidence", &AnswerView::confidence, "How complete the data behind it is.", {.required = true}),
                field("total_execution_time_ms", &AnswerView::total_execution_time_ms,
                      "From the question to the answer; less than a minute.",
                      {.required = true, .min = 0, .max = static_cast<double>(kAnswerLimitMs - 1)}),
                field("partial_results", &AnswerView::partial_results,
                      "Whether some calls failed and it was made all the same."),
            },
        .home = {Home::Kind::message, "the answer to `POST /sessions/{session_id}/ask`"},
        .checks = {check<AnswerView>({"tool_calls_made", "sources"},
                                     "An answer that rests on a completed call names a source, and every source begins "
                                     "with the domain of a call.",
                                     check_answer, R"({
            "if":{"properties":{"tool_calls_made":{"contains":{"properties":{"status":{"const":"completed"}}}}}},
            "then":{"properties":{"sources":{"minItems":1}}}})")},
        .example = R"({"answer":"Product A is low in stock.","sources":["inventory.genie"],"tool_calls_made":[
            {"tool_id":"tc_123456","tool_name":"query_space_01","domain":"inventory",
            "input_params":{"query":"What is low in stock?"},"status":"completed","result":{"answer":"Product A"},
            "error":null,"started_at":"2025-11-02T10:30:05Z","completed_at":"2025-11-02T10:30:12Z",
            "execution_time_ms":7000}],
            "suggestions":["Shall I look at prices too?"],"confidence":"high","total_execution_time_ms":12500,
            "partial_results":false})",
    };
    return entity;
}

const Entity& describe(const DomainRoutingDecision*)
{
    static const Entity entity{
        .name = "domain_routing_decision",
        .doc = "Which domains should be asked.",
        .fields =
            {
                field("user_query", &DomainRoutingDecision::user_query, "What was asked.", {.required = true}),
                field("identified_domains", &DomainRoutingDecision::identified_domains, "Domains to ask.",
                      {.required = true, .unique = true}),
                field("reasoning", &DomainRoutingDecision::reasoning, "Why these; alternatives, if it is ambiguous.",
                      {.required = true}),
                field("confidence", &DomainRoutingDecision::confidence, "How sure the router is.",
                      {.required = true, .min = 0, .max = 1}),
                field("ambiguity_detected", &DomainRoutingDecision::ambiguity_detected,
                      "Whether the question could go to several domains."),
                field("clarification_needed", &DomainRoutingDecision::clarification_needed,
                      "Whether the question is unclear."),
            },
        .home = {Home::Kind::message, "from the router to what asks the domains, inside a run"},
        .demands = {{.when = {is("clarification_needed", {"false"})},
                     .then = filled("identified_domains"),
                     .says = "must not be empty unless clarification_needed is true"},
                    {.when = {is("ambiguity_detected", {"true"})},
                     .then = filled("reasoning"),
                     .says = "must explain the alternatives when ambiguity_detected is true"}},
        .example = R"({"user_query":"What is low in stock?","identified_domains":["inventory"],
            "reasoning":"It is about stock.","confidence":0.85,"ambiguity_detected":false,
            "clarification_needed":false})",
    };
    return entity;
}

std::vector<const Entity*> entities()
{
    return descriptions<Message, Conversation, ToolCall, Domains, Domain, AskOptions, AnswerView,
                        DomainRoutingDecision>();
}

}  // namespace cadre::model::domains
