#include "base/timeout.hpp"
#include "mcp/client.hpp"
#include "mcp/http_headers.hpp"
#include "mcp/members.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::mcp {

namespace {

constexpr std::size_t kMaxPages = 200;
constexpr std::size_t kMaxItems = 10'000;
constexpr std::size_t kMaxBytes = 32 << 20;
constexpr Millis kLongestLife{24 * 3'600'000};
/// Between two attempts to listen.
constexpr Millis kShortestRest{1'000}, kLongestRest{60'000};

struct Listed {
    const char* method;
    const char* field;
    const char* capability;
};

const Listed& listed(ListKind kind)
{
    static constexpr Listed all[kListKinds] = {{"tools/list", "tools", "tools"},
                                               {"prompts/list", "prompts", "prompts"},
                                               {"resources/list", "resources", "resources"},
                                               {"resources/templates/list", "resourceTemplates", "resources"}};
    return all[static_cast<std::size_t>(kind)];
}

bool is_set(const json::object& capabilities, std::string_view capability, std::string_view flag)
{
    const json::object* offered = object_in(capabilities, capability);
    return offered && is_true(*offered, flag);
}

/// Points to a request for as long as it lives.
class Shown {
public:
    Shown(Exchange*& place, Exchange& exchange) : place_(place) { place_ = &exchange; }
    Shown(const Shown&) = delete;
    Shown& operator=(const Shown&) = delete;
    ~Shown() { place_ = nullptr; }

private:
    Exchange*& place_;
};

}  // namespace

Async<std::shared_ptr<const json::array>> Client::list(ListKind kind)
{
    const auto at = static_cast<std::size_t>(kind);
    if (lists_[at] && loop_.now() < lists_[at]->until) co_return lists_[at]->items;
    if (!offers(listed(kind).capability)) co_return std::make_shared<const json::array>();
    for (int attempt = 1;; ++attempt) {
        const int before = changes_[at];
        Millis lifetime = kLongestLife;
        json::array found = co_await pages(kind, lifetime);
        if (kind == ListKind::tools) drop_bad_headers(found);
        auto items = std::make_shared<const json::array>(std::move(found));
        // a list that changed while it was read may be half old, half new
        if (changes_[at] != before && attempt < 3) continue;
        lists_[at] = Cached{items, changes_[at] == before ? later(loop_.now(), lifetime) : loop_.now()};
        co_return items;
    }
}

Async<json::array> Client::pages(ListKind kind, Millis& lifetime)
{
    const Listed& what = listed(kind);
    json::array all;
    std::set<std::string> cursors;
    std::size_t bytes = 0;
    json::object params;
    while (true) {
        json::object result = co_await request(what.method, std::move(params));
        json::value* items = result.if_contains(what.field);
        if (!items || !items->is_array())
            throw Error(Code::upstream, fmt::format("MCP server {} answered {} without `{}`", options_.server,
                                                    what.method, what.field));
        for (json::value& item : items->get_array()) {
            if (!item.is_object()) continue;
            bytes += cadre::to_text(item).size();
            all.push_back(std::move(item));
        }
        if (bytes > kMaxBytes)
            throw Error(Code::too_large, fmt::format("MCP server {} has more than {} MiB of {}", options_.server,
                                                     kMaxBytes >> 20, what.field));
        if (modern_) {
            const json::value* life = result.if_contains("ttlMs");
            const std::int64_t given =
                life && life->is_int64() ? std::clamp<std::int64_t>(life->get_int64(), 0, kLongestLife.count()) : 0;
            lifetime = std::min(lifetime, Millis{given});
        }
        const json::value* cursor = result.if_contains("nextCursor");
        if (!cursor || !cursor->is_string() || cursor->get_string().empty()) co_return all;
        if (!cursors.insert(std::string(cursor->get_string())).second || cursors.size() > kMaxPages ||
            all.size() > kMaxItems)
            throw Error(Code::upstream, fmt::format("MCP server {} has no end of {}: {} pages and {} entries came",
                                                    options_.server, what.field, cursors.size(), all.size()));
        params = {{"cursor", cursor->get_string()}};
    }
}

/// Over HTTP, a tool whose annotations cannot be followed cannot be called as the server wants it.
void Client::drop_bad_headers(json::array& tools)
{
    if (!modern_ || !connection_.is_http()) return;
    const auto is_bad = [this](const json::value& tool) {
        const json::object* schema = object_in(tool.get_object(), "inputSchema");
        const auto problem = schema ? header_problem(*schema) : std::nullopt;
        if (!problem) return false;
        const std::string_view name = text_in(tool.get_object(), "name");
        log_.warning("a tool cannot be used",
                     {{"server", options_.server}, {"tool", name.substr(0, 128)}, {"why", *problem}});
        return true;
    };
    tools.erase(std::remove_if(tools.begin(), tools.end(), is_bad), tools.end());
}

Async<net::HttpHeaders> Client::parameter_headers(const std::string& tool, const json::object& arguments)
{
    auto& known = lists_[static_cast<std::size_t>(ListKind::tools)];
    const std::shared_ptr<const json::array> tools = known ? known->items : co_await list(ListKind::tools);
    for (const json::value& one : *tools) {
        const json::object* schema = object_in(one.get_object(), "inputSchema");
        if (schema && text_in(one.get_object(), "name") == tool) co_return mcp::parameter_headers(*schema, arguments);
    }
    co_return net::HttpHeaders{};
}

void Client::note_change(ListKind kind)
{
    const auto at = static_cast<std::size_t>(kind);
    ++changes_[at];
    lists_[at].reset();
    if (on_changed) on_changed(kind);
}

bool Client::wants_changes() const
{
    for (const char* capability : {"tools", "prompts", "resources"})
        if (is_set(facts_.capabilities, capability, "listChanged")) return true;
    return !subscribed_.empty();
}

/// Modern servers tell of changes only those who listen, and for as long as they do.
Async<> Client::listen()
{
    Millis rest = kShortestRest;
    while (connection_.is_open()) {
        const Instant begun = loop_.now();
        bool unknown = false, anew = false;
        try {
            anew = co_await listen_once();
        } catch (const ServerError& error) {
            unknown = error.error().code == kMethodNotFound || error.status() == 404 || error.status() == 405;
        } catch (const Error& error) {
            log_.debug("listening broke off", {{"server", options_.server}, {"why", error.what()}});
        }
        if (unknown) co_return;
        for (std::size_t at = 0; at < kListKinds; ++at) lists_[at].reset();  // nobody told of what changed meanwhile
        if (anew) continue;
        rest = loop_.now() - begun > kLongestRest ? kShortestRest : std::min(rest * 2, kLongestRest);
        co_await sleep_for(rest);
    }
}

/// True: there is something else to listen to now.
Async<bool> Client::listen_once()
{
    json::object filter;
    if (is_set(facts_.capabilities, "tools", "listChanged")) filter["toolsListChanged"] = true;
    if (is_set(facts_.capabilities, "prompts", "listChanged")) filter["promptsListChanged"] = true;
    if (is_set(facts_.capabilities, "resources", "listChanged")) filter["resourcesListChanged"] = true;
    if (!subscribed_.empty()) {
        json::array uris;
        for (const std::string& uri : subscribed_) uris.emplace_back(uri);
        filter["resourceSubscriptions"] = std::move(uris);
    }
    json::object params{{"notifications", std::move(filter)}};
    add_meta(params, {});
    ExchangeOptions options{
        .idle = Millis::max(), .cap = Millis::max(), .headers = headers("subscriptions/listen", params)};
    Exchange listening(connection_, "subscriptions/listen", std::move(params), std::move(options));
    const Shown shown(listening_, listening);
    const std::set<std::string> wanted = subscribed_;
    while (wanted == subscribed_)
        if (co_await listening.wait(kNever)) {
            co_await listening.answer();
            co_return false;
        }
    co_return true;
}

void Client::listen_anew() noexcept
{
    if (listening_) listening_->nudge();
}

Async<> Client::subscribe(std::string uri)
{
    const bool was_listening = wants_changes();
    subscribed_.insert(uri);
    if (modern_) {
        if (!was_listening) scope_.spawn(listen());
        listen_anew();
        co_return;
    }
    json::object params{{"uri", uri}};
    co_await request("resources/subscribe", std::move(params));
}

Async<> Client::unsubscribe(std::string uri)
{
    subscribed_.erase(uri);
    if (modern_) {
        listen_anew();
        co_return;
    }
    json::object params{{"uri", uri}};
    co_await request("resources/unsubscribe", std::move(params));
}

}  // namespace cadre::mcp
