#include "server/stream_task.hpp"

#include "base/ascii.hpp"
#include "base/async.hpp"
#include "home/home_owner.hpp"
#include "model/describe.hpp"
#include "net/websocket.hpp"
#include "server/call.hpp"
#include "server/service.hpp"
#include "server/stream_pass.hpp"
#include "server/stream_reader.hpp"
#include "server/stream_socket.hpp"
#include "server/stream_sse.hpp"
#include "server/stream_tree.hpp"
#include "server/streams.hpp"

#include <fmt/core.h>

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::server {
namespace {

constexpr int kMostEvents = 1'000;
constexpr int kLongestWait = 60;

[[noreturn]] void refuse_position(std::string_view text)
{
    throw Refusal(400, Code::malformed, "bad_since",
                  in_quotes(text) +
                      " is not a place in a stream; say the number of the last event that was seen, the id of the last "
                      "thing that came, or now");
}

StreamFilter filter_of(const StreamKind& kind)
{
    StreamFilter filter;
    filter.add(kind);
    return filter;
}

Async<std::shared_ptr<FeedTask>> watched(Call& call)
{
    const auto state = co_await call.service().home.runtime().queries().task(call.by(), call.task());
    co_return call.service().streams->feed().watch(*state);
}

/// Where a client wants to read on in a tree: what start_of() understands is about the task itself.
TreePosition tree_start_of(std::string_view last_id, const StreamQuery& query, const FeedTask& root)
{
    std::string text(last_id);
    if (text.empty()) text = query.since ? *query.since : query.after.value_or("");
    if (text.find(',') == std::string::npos) return {.root = start_of(last_id, query, root), .is_now = text == "now"};
    auto position = find_tree_position(text);
    if (!position || query.step || query.offset) refuse_position(text);
    return {.root = start_of(text.substr(0, text.find(',')), query, root), .below = std::move(position->below)};
}

Async<> stream_tree(Call& call, const StreamKind& kind, const StreamQuery& query)
{
    Service& service = call.service();
    engine::Queries& queries = service.home.runtime().queries();
    const auto entry = co_await queries.entry(call.by(), call.task());
    auto task = co_await watched(call);
    TreePosition from = tree_start_of(call.header("Last-Event-ID"), query, *task);
    StreamTree tree(service.streams->feed(), queries, call.by(), std::move(task), entry.agent, std::move(from),
                    filter_of(kind));
    co_await tree.begin();
    if (!net::wants_websocket(call.head())) co_return co_await stream_events(call, tree);
    co_await stream_socket(call, tree, true);
}

}  // namespace

const model::Entity& describe(const StreamQuery*)
{
    using namespace model;
    static const Entity entity{
        .name = "stream_query",
        .doc = "Where a stream begins, and how it looks.",
        .fields = {field("since", &StreamQuery::since,
                         "The number of the last event that was seen, the id of the last thing that came, or `now`; "
                         "null: from the beginning."),
                   field("after", &StreamQuery::after, "Another name for `since`."),
                   field("step", &StreamQuery::step, "A step of which some text was seen.", {.min_length = 1}),
                   field("offset", &StreamQuery::offset, "How many bytes of it.", {.min = 0}),
                   field("envelope", &StreamQuery::envelope,
                         "Of a WebSocket: each thing comes with its number, as it does with `since`."),
                   field("tree", &StreamQuery::tree,
                         "The tasks below it are told of, too; each thing comes with its task. Not of a page."),
                   field("ticket", &StreamQuery::ticket, "In place of a token; see `POST /tickets`."),
                   field("limit", &StreamQuery::limit, "Of a page: how many events at most.",
                         {.min = 1, .max = kMostEvents}),
                   field("wait", &StreamQuery::wait, "Of a page: how many seconds to wait for the first event.",
                         {.min = 0, .max = kLongestWait})},
        .home = {Home::Kind::message}};
    return entity;
}

StreamPosition start_of(std::string_view last_id, const StreamQuery& query, const FeedTask& task)
{
    std::string text(last_id);
    if (text.empty()) text = query.since ? *query.since : query.after.value_or("0");
    if (query.offset && !query.step) refuse_position("offset without step");
    if (query.step && !is_step(*query.step)) refuse_position(*query.step);
    if (query.since && query.after && *query.since != *query.after) refuse_position(*query.after);
    if (text == "now") {
        if (query.step && last_id.empty()) refuse_position("now with a step");
        return position_now(task);
    }
    auto position = find_position(text);
    if (!position) refuse_position(text);
    if (query.step && last_id.empty())
        position->written[*query.step] = static_cast<std::size_t>(query.offset.value_or(0));
    if (position->seen > task.last())
        throw Refusal(
            416, Code::invalid, "ahead",
            fmt::format("the task has {} events, and {} were asked to be skipped", task.last(), position->seen),
            {{"last", task.last()}});
    return *position;
}

bool wants_stream(const Call& call)
{
    return net::wants_websocket(call.head()) ||
           call.header("Accept").find("text/event-stream") != std::string_view::npos;
}

Route with_stream(Route page, std::string_view kind)
{
    page.nothing = kNothingLeft;
    page.handler = [answer = std::move(page.handler), stream = find_stream_kind(kind)](Call& call) {
        return wants_stream(call) ? stream_task(call, *stream) : answer(call);
    };
    return page;
}

Async<> stream_task(Call& call, const StreamKind& kind)
{
    const auto query = call.query<StreamQuery>();
    if (net::wants_websocket(call.head())) net::websocket_offer(call.head());  // refuses a handshake that is wrong
    const Streams::Place place(*call.service().streams, call.by());
    if (query.tree) co_return co_await stream_tree(call, kind, query);
    auto task = co_await watched(call);
    const StreamPosition from = start_of(call.header("Last-Event-ID"), query, *task);
    StreamReader reader(std::move(task), from, filter_of(kind));
    if (!net::wants_websocket(call.head())) co_return co_await stream_events(call, reader);
    co_await stream_socket(call, reader, query.envelope || query.since || query.after);
}

Async<> page_of_events(Call& call, const StreamKind& kind)
{
    const auto query = call.query<StreamQuery>();
    if (query.tree) {
        model::Problems problems;
        problems.add(model::Path({}, "tree"), "is for streams: a page is of one task");
        throw BadRequest(std::move(problems));
    }
    Service& service = call.service();
    auto task = co_await watched(call);
    const StreamPosition from = start_of(call.header("Last-Event-ID"), query, *task);
    StreamReader reader(std::move(task), from, filter_of(kind));
    const Instant due = later(service.loop.now(), Millis(query.wait * 1000));
    std::string text;
    for (int count = 0; count < query.limit;) {
        if (const auto item = reader.take()) {
            const FeedEvent& event = *std::get<FeedEventPtr>(*item);
            text += fmt::format("{}{{\"seq\":{},\"event\":{}}}", count++ == 0 ? "" : ",", event.number, event.json);
            continue;
        }
        // what is there already comes at once, whoever waits
        const bool is_waiting = reader.position().seen >= reader.task().last() && !reader.task().is_stale();
        if (reader.is_over() || service.draining || (is_waiting && count > 0)) break;
        const Millis left = std::chrono::ceil<Millis>(due - service.loop.now());
        if (!is_waiting) co_await reader.more();
        else if (left.count() <= 0 || !co_await ends_within(reader.more(), left)) break;
    }
    co_await call.reply(fmt::format(R"({{"events":[{}],"last":{},"ended":{}}})", text, reader.position().seen,
                                    reader.is_over() ? "true" : "false"));
}

}  // namespace cadre::server
