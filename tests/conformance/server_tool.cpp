// What the server is made of, as a program, for judges that did not learn from us:
//   server_tool websocket [CERTIFICATE KEY]   serves WebSockets, says where, and ends with its input
//   server_tool jwt                           reads {"token", "jwks"|"secret", "now"} a line, writes {"sub"} or {"reason"}
//   server_tool openapi                       writes the document of a table of routes
//   server_tool metrics prometheus|open_metrics
#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/metrics.hpp"
#include "base/run.hpp"
#include "base/signal.hpp"
#include "model/task.hpp"
#include "model/team.hpp"
#include "net/loop.hpp"
#include "net/websocket.hpp"
#include "server/auth/jwks.hpp"
#include "server/auth/jwt.hpp"
#include "server/openapi.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <thread>

using namespace cadre;
using namespace std::chrono_literals;

namespace {

/// `/echo` says what it hears; `/goodbye` closes with 4008; `/beat` pings, and tells nobody how it ended; `/crowd` sends from three
/// sides at once.
struct Sockets final : net::HttpHandler {
    Async<> handle(net::HttpExchange& exchange) override
    {
        const std::string path = exchange.head().path;
        const auto offered = net::websocket_offer(exchange.head()).protocols;
        const bool ours = std::ranges::find(offered, "cadre.v1") != offered.end();
        net::WebSocket socket(exchange);
        co_await socket.accept(ours ? "cadre.v1" : "");
        AsyncScope others(co_await this_context());
        if (path == "/beat") others.spawn(socket.keep_alive(50ms));
        if (path == "/crowd")
            for (const char* word : {"a", "b", "c"}) others.spawn(talk(socket, word));
        if (path == "/goodbye") co_await socket.close(4008, "too slow");
        while (auto message = co_await socket.read())
            co_await socket.send(net::websocket_frame(message->kind, message->data));
        co_await others.close();
    }

    static Async<> talk(net::WebSocket& socket, std::string word)
    {
        std::string text;
        while (text.size() < 100'000) text += word;
        for (int i = 0; i < 20; ++i) co_await socket.send(net::websocket_frame(net::WebSocketKind::text, text));
    }
};

int serve_websockets(int argc, char** argv)
{
    net::Loop loop;
    Sockets sockets;
    net::HttpServerOptions options;
    if (argc == 4) options.tls = net::TlsFiles{.certificate = argv[2], .key = argv[3]};
    net::HttpServer server(loop, sockets, options);
    std::cout << server.url() << std::endl;
    bool over = false;
    std::thread input([&] {
        std::string line;
        while (std::getline(std::cin, line)) {}
        loop.deliver([&] { over = true; });
    });
    loop.run_until([&] { return over; });
    input.join();
    run(loop, server.close(0ms));
    return 0;
}

int verify_tokens()
{
    for (std::string line; std::getline(std::cin, line);) {
        const json::value asked = parse_json(line, {.bytes = 16 << 20});
        server::JwtKeys keys;
        std::vector<std::string> refused;
        if (const json::value* secret = asked.as_object().if_contains("secret")) {
            keys.add("", server::JwtKey::secret(Secret(std::string(secret->as_string()))));
        } else {
            server::Jwks set = server::parse_jwks(to_text(asked.at("jwks")));
            keys = std::move(set.keys);
            refused = std::move(set.refused);
        }
        const auto result = server::verify_jwt(asked.at("token").as_string(), keys,
                                               {.issuer = "https://id.example", .audience = "cadre"},
                                               Time(Millis(1000 * asked.at("now").as_int64())));
        json::object answer{{"refused", json::value_from(refused)}};
        if (const auto* good = std::get_if<server::JwtClaims>(&result)) answer["sub"] = good->subject;
        else answer["reason"] = name_of(std::get<server::JwtReason>(result));
        std::cout << to_text(answer) << '\n';
    }
    return 0;
}

int write_openapi()
{
    using namespace server;
    static constexpr Fault faults[] = {{409, "session_busy", "The session has a turn under way."}};
    const model::Entity& team = describe(static_cast<const model::Team*>(nullptr));
    const model::Entity& task = describe(static_cast<const model::Task*>(nullptr));
    const Route routes[] = {
        {.path = "/health",
         .name = "health",
         .doc = "How the server is.",
         .act = std::nullopt,
         .rate = RateClass::exempt},
        {.path = "/tasks/{task_id}", .name = "get_task", .doc = "One task.", .response = &task},
        {.method = Method::post,
         .path = "/teams",
         .name = "create_team",
         .doc = "Makes a team.",
         .act = engine::Act::change,
         .rate = RateClass::write,
         .request = &team,
         .response = &team,
         .success = 201,
         .faults = faults},
        {.path = "/tasks/{task_id}/artifacts/{path*}",
         .name = "get_artifact",
         .doc = "The bytes of a file.",
         .form = Form::file},
        {.path = "/tasks/{task_id}/events", .name = "events", .doc = "What happens.", .form = Form::stream},
    };
    std::cout << to_pretty_text(openapi_document(routes, {.version = "0.1.0"}));
    return 0;
}

int write_metrics(std::string_view form)
{
    Metrics metrics;
    const auto requests =
        metrics.counters("cadre_http_requests_total", "Requests, by \"route\"\nand status.", {"route", "status"});
    requests.with({"list_tasks", "200"}).add(3);
    requests.with({"odd \\ \"name\"\n", "500"}).add(0.25);
    metrics.gauge("cadre_http_in_flight", "Requests under way.").set(2);
    metrics.gauges("cadre_build_info", "Which program this is.", {"version"}).with({"0.1.0"}).set(1);
    const auto durations =
        metrics.histograms("cadre_http_request_duration_seconds", "How long requests took.", {"route"});
    for (const double seconds : {0.0001, 0.02, 1.0, 90.0}) durations.with({"list_tasks"}).observe(seconds);
    for (int i = 0; i < 2'100; ++i) requests.with({std::to_string(i), "200"}).add();
    std::cout << metrics.text(form == "prometheus" ? MetricsForm::prometheus : MetricsForm::open_metrics);
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    const std::string_view what = argc > 1 ? argv[1] : "";
    if (what == "websocket") return serve_websockets(argc, argv);
    if (what == "jwt") return verify_tokens();
    if (what == "openapi") return write_openapi();
    if (what == "metrics" && argc == 3) return write_metrics(argv[2]);
    std::cerr << "server_tool websocket|jwt|openapi|metrics FORM\n";
    return 2;
}
