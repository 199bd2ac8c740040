// Client: one MCP server, whatever era it is of: greeting, requests, lists, what it asks back, long calls.
#pragma once

#include "base/async_mutex.hpp"
#include "mcp/connection.hpp"

#include <array>
#include <set>
#include <span>

namespace cadre::mcp {

/// This address speaks no streamable HTTP; it may speak the older HTTP+SSE.
class WrongTransport : public Error {
public:
    using Error::Error;
};

/// Who answers what a server asks in the course of a call.
class Handlers {
public:
    /// sampling/createMessage and elicitation/create: params in, result out. Throw Error.
    virtual Async<boost::json::object> sample(boost::json::object params) = 0;
    virtual Async<boost::json::object> elicit(boost::json::object params) = 0;

protected:
    ~Handlers() = default;
};

/// What the operator allows a server to ask for, and how long it is waited for.
struct ClientOptions {
    std::string server{};           // its name in our files
    std::string version = "0.1.0";  // ours
    bool sampling = false;
    bool elicitation = false;
    std::vector<std::string> roots{};   // file:// URIs; none: not offered
    std::optional<Era> era{};           // where it is known already
    std::string log_level = "warning";  // of what the server logs; empty: nothing
    Millis probe{3'000};  // for an answer to what only modern servers know; old ones need not answer at all
    Millis greeting{30'000};
    Millis idle{60'000};
    Millis cap{3'600'000};
    bool listens = true;  // for changes of lists, where the server offers that
};

struct ServerFacts {
    Era era = Era::legacy;
    std::string version{};  // of the protocol
    std::string name{}, title{}, server_version{};
    std::string instructions{};
    boost::json::object capabilities{};
};

/// How one request is made; what is not set is the client's.
struct RequestOptions {
    std::optional<Millis> idle{}, cap{};
    std::function<void(const Progress&)> on_progress{};
    Handlers* handlers = nullptr;  // outlives the request
    boost::json::object meta{};
    bool sends_again = true;  // in a new session, when the server says that the old one is over
};

enum class ListKind : std::uint8_t { tools, prompts, resources, resource_templates };
inline constexpr std::size_t kListKinds = 4;

/// Lives on one loop. Made, opened, used by any number of coroutines, closed.
class Client final : ConnectionListener {
public:
    Client(Loop& loop, std::unique_ptr<Transport> transport, ClientOptions options, Log log);
    ~Client();

    /// Greets the server, in the newest way that it understands. Throws WrongTransport, Error.
    Async<> open();
    bool is_open() const { return connection_.is_open(); }
    const ServerFacts& facts() const { return facts_; }
    bool offers(std::string_view capability) const { return facts_.capabilities.contains(capability); }
    Async<> close();

    /// The whole result, however many rounds, questions and polls it takes. Throws as Exchange::answer() does.
    Async<boost::json::object> request(std::string method, boost::json::object params, RequestOptions options = {});

    /// All pages. Kept for as long as the server says, or until it says that the list has changed.
    Async<std::shared_ptr<const boost::json::array>> list(ListKind kind);
    Async<boost::json::object> call_tool(std::string name, boost::json::object arguments, RequestOptions options = {});
    Async<boost::json::object> read_resource(std::string uri, RequestOptions options = {});
    Async<boost::json::object> get_prompt(std::string name, boost::json::object arguments, RequestOptions options = {});
    /// `reference` is {"type":"ref/prompt","name":…} or {"type":"ref/resource","uri":…}. Returns the values.
    Async<std::vector<std::string>> complete(boost::json::object reference, std::string argument, std::string value);
    /// on_update hears of changes of that resource.
    Async<> subscribe(std::string uri);
    Async<> unsubscribe(std::string uri);

    std::function<void(ListKind)> on_changed{};
    std::function<void(const std::string& uri)> on_update{};
    std::function<void(std::string_view level, std::string_view logger, std::string_view text)> on_log{};

private:
    struct Cached {
        std::shared_ptr<const boost::json::array> items;
        Instant until{};
    };

    // client_open.cpp
    Async<> greet();
    Async<bool> greet_modern();
    Async<> greet_legacy();
    Async<> greet_legacy_or_late(Exchange& discovery);
    bool take_discovery(const boost::json::object& result);
    void take_greeting(const boost::json::object& result);
    Async<> reopen(int session);
    boost::json::object capabilities() const;
    boost::json::object client_info() const;

    // client.cpp
    Async<boost::json::object> once(std::string method, boost::json::object params, const RequestOptions& options,
                                    Millis cap, net::HttpHeaders more);
    Async<boost::json::object> rounds(std::string method, boost::json::object params, RequestOptions options,
                                      net::HttpHeaders more);
    Async<boost::json::object> fulfil(std::string method, boost::json::object params, Handlers* handlers);
    Async<boost::json::object> fulfil_all(boost::json::object questions, Handlers* handlers);
    void add_meta(boost::json::object& params, const boost::json::object& more) const;
    net::HttpHeaders headers(const std::string& method, const boost::json::object& params) const;

    // client_tasks.cpp
    Async<boost::json::object> follow(boost::json::object task, RequestOptions options, Instant due);
    bool wants_legacy_task(const std::string& tool) const;
    Async<boost::json::object> run_legacy_task(boost::json::object params, RequestOptions options);
    Async<> rest(const boost::json::value* wanted, Instant due);

    // client_lists.cpp
    Async<boost::json::array> pages(ListKind kind, Millis& lifetime);
    void drop_bad_headers(boost::json::array& tools);
    Async<net::HttpHeaders> parameter_headers(const std::string& tool, const boost::json::object& arguments);
    Async<> listen();
    Async<bool> listen_once();
    void listen_anew() noexcept;
    void note_change(ListKind kind);
    bool wants_changes() const;

    void notified(const Notification& notification) override;
    std::optional<boost::json::object> answer_at_once(const Request& request) override;
    void session_over() override { stale_ = true; }

    Loop& loop_;
    ClientOptions options_;
    Log log_;
    ServerFacts facts_;
    bool modern_ = false;
    bool stale_ = false;  // the session has to be begun again
    AsyncMutex opening_;
    int session_ = 0;
    AsyncMutex calling_;  // of calls that may be asked back, where nothing would tell one from another
    std::array<std::optional<Cached>, kListKinds> lists_{};
    std::array<int, kListKinds> changes_{};
    std::set<std::string> subscribed_;
    Exchange* listening_ = nullptr;  // the request that listens
    Connection connection_;
    AsyncScope scope_;
};

}  // namespace cadre::mcp
