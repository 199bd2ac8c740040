// mcp_client URL: a client for the conformance suite, which says in its environment what to play.
// mcp_client --stdio COMMAND ARGUMENTS… | --http URL | --sse URL: does what standard input says, a JSON object a line, and writes what
// came of it, a JSON object a line. {"do": "facts" | "tools" | "call" | "resources" | "read" | "templates" | "prompts" | "prompt" |
// "complete", …}; see perform(). $MCP_CLIENT_ROOT is a folder that servers are offered as a root.
#include "base/async.hpp"
#include "base/json.hpp"
#include "base/pool.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "conformance.hpp"
#include "mcp/mcp_tool.hpp"
#include "net/http_client.hpp"
#include "net/loop.hpp"

#include <boost/json.hpp>

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::mcp;
using model::framework::TransportType;

namespace {

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::optional<std::string> lookup(const std::string& name)
{
    const char* value = std::getenv(name.c_str());
    return value ? std::optional<std::string>(value) : std::nullopt;
}

/// Answers what servers ask: forms with what `answers` holds, models with an echo.
struct Context final : tools::ToolContext {
    explicit Context(Loop& loop) : own_pool(loop) {}
    void progress(std::string_view text) noexcept override { heard.emplace_back(text); }
    void log(Level, std::string_view) noexcept override {}
    Pool& pool() override { return own_pool; }
    Async<model::HumanAnswer> ask(model::HumanRequestType, json::object context) override
    {
        asked.push_back(std::move(context));
        co_return model::HumanAnswer{.updates = answers};
    }
    Async<tools::Sample> sample(tools::SampleRequest request) override
    {
        co_return tools::Sample{.text = "echo: " + request.messages.back().text, .model = "echo"};
    }
    Async<tools::Result> remember(boost::json::object) override
    {
        throw Error(Code::invalid, "there is no memory here");
    }
    Async<tools::Result> recall(boost::json::object) override { throw Error(Code::invalid, "there is no memory here"); }
    LoopPool own_pool;
    json::object answers;
    json::array heard;
    json::array asked;
};

json::object result_of(const tools::Result& result)
{
    json::object out{{"text", result.text}, {"is_error", result.is_error}};
    if (result.structured) out["structured"] = *result.structured;
    json::array media;
    for (const tools::Media& one : result.media) media.emplace_back(one.mime_type);
    out["media"] = std::move(media);
    return out;
}

std::string text_in(const json::object& command, std::string_view name)
{
    const json::value* value = command.if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

json::object object_in(const json::object& command, std::string_view name)
{
    const json::value* value = command.if_contains(name);
    return value && value->is_object() ? value->get_object() : json::object{};
}

Async<json::object> call(std::shared_ptr<Server> server, Context& context, json::object command)
{
    const auto tools = *co_await server->tools();
    context.answers = object_in(command, "answers");
    context.heard.clear();
    context.asked.clear();
    for (const ListedTool& listed : tools) {
        if (listed.definition.name != text_in(command, "name")) continue;
        McpTool tool(server, listed, listed.definition.name);
        tools::Call made{.id = "tc_1", .arguments = object_in(command, "arguments"), .key = "key"};
        const json::value* limit = command.if_contains("timeout_ms");
        auto work = tool.call(std::move(made), context);
        const auto result =
            co_await with_timeout(std::move(work), Millis{limit ? limit->as_int64() : 60'000}, "the call");
        json::object out = result_of(result);
        out["progress"] = context.heard;
        out["asked"] = context.asked;
        co_return out;
    }
    throw Error(Code::not_found, "no such tool");
}

Async<json::object> list(Client& client, ListKind kind)
{
    const auto items = co_await client.list(kind);
    co_return json::object{{"items", *items}};
}

Async<json::object> perform(std::shared_ptr<Server> server, Context& context, json::object command)
{
    const std::string what = text_in(command, "do");
    if (what == "call") co_return co_await call(server, context, std::move(command));
    if (what == "tools") {
        const auto tools = *co_await server->tools();
        json::array all;
        for (const ListedTool& tool : tools)
            all.push_back(
                {{"name", tool.definition.name}, {"hash", tool.hash}, {"input_schema", *tool.definition.input_schema}});
        co_return json::object{{"items", std::move(all)}};
    }
    const auto client = co_await server->client();
    const ServerFacts& facts = client->facts();
    if (what == "facts")
        co_return json::object{{"era", facts.era == Era::modern ? "modern" : "legacy"},
                               {"version", facts.version},
                               {"name", facts.name},
                               {"capabilities", facts.capabilities},
                               {"starts", server->starts()}};
    if (what == "resources") co_return co_await list(*client, ListKind::resources);
    if (what == "templates") co_return co_await list(*client, ListKind::resource_templates);
    if (what == "prompts") co_return co_await list(*client, ListKind::prompts);
    if (what == "read") co_return co_await client->read_resource(text_in(command, "uri"));
    if (what == "prompt")
        co_return co_await client->get_prompt(text_in(command, "name"), object_in(command, "arguments"));
    if (what == "complete") {
        const auto values = co_await client->complete(object_in(command, "ref"), text_in(command, "argument"),
                                                      text_in(command, "value"));
        co_return json::object{{"values", json::value_from(values)}};
    }
    throw Error(Code::invalid, "unknown command");
}

Async<> serve(std::shared_ptr<Server> server, Loop& loop)
{
    Context context(loop);
    for (std::string line; std::getline(std::cin, line);) {
        json::object out;
        try {
            json::object command = parse_json(line).as_object();
            out = co_await perform(server, context, std::move(command));
        } catch (const tools::NotDispatched& error) {
            out = {{"failed", name_of(error.code())}, {"why", error.what()}, {"dispatched", false}};
        } catch (const Error& error) {
            out = {{"failed", name_of(error.code())}, {"why", error.what()}, {"dispatched", true}};
        }
        std::cout << to_text(json::value(out)) << std::endl;
    }
}

json::object context()
{
    const std::string given = variable("MCP_CONFORMANCE_CONTEXT");
    return given.empty() ? json::object{} : parse_json(given).as_object();
}

/// Where the suite hands out nothing to sign in with, something that must not be sent to the wrong place.
json::object oauth_of(const json::object& context)
{
    const std::string id = text_in(context, "client_id"), key = text_in(context, "private_key_pem");
    const std::string secret = text_in(context, "client_secret");
    json::object oauth{{"client_id", id.empty() ? "client" : id}};
    if (!key.empty()) oauth["private_key"] = key;
    else oauth["client_secret"] = secret.empty() ? "a secret" : secret;
    return oauth;
}

Async<> conform(std::shared_ptr<Server> server)
{
    const auto client = co_await server->client();
    co_await server->tools();  // every schema is read as it is for agents
    co_await play(*client, variable("MCP_CONFORMANCE_SCENARIO"), context());
}

Async<int> work(std::shared_ptr<Server> server, Loop& loop, bool judged)
{
    int code = 0;
    try {
        if (judged) co_await conform(server);
        else co_await serve(server, loop);
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        code = 1;
    }
    co_await server->close();
    co_return code;
}

}  // namespace

int main(int count, char** words)
{
    const std::vector<std::string> args(words + 1, words + count);
    if (args.empty()) return 2;
    const bool judged = !args[0].starts_with("--");
    model::framework::MCPServer described{.name = "server", .transport = TransportType::streamable_http};
    described.ext = {{"elicitation", true}, {"sampling", true}};
    if (const std::string root = variable("MCP_CLIENT_ROOT"); !root.empty())
        described.ext["roots"] = json::array{json::string(root)};
    if (judged) {
        described.config = {{"url", args.back()}};
        if (variable("MCP_CONFORMANCE_SCENARIO").starts_with("auth/")) described.ext["oauth"] = oauth_of(context());
    } else if (args.size() > 1 && args[0] == "--stdio") {
        described.transport = TransportType::stdio;
        json::array rest;
        for (std::size_t i = 2; i < args.size(); ++i) rest.emplace_back(args[i]);
        described.config = {{"command", args[1]}, {"args", std::move(rest)}};
    } else if (args.size() == 2) {
        if (args[0] == "--sse") described.transport = TransportType::sse;
        described.config = {{"url", args[1]}};
    } else {
        return 2;
    }
    const Log log(descriptor_sink(2), Level::info);
    net::Loop loop;
    net::HttpClient http(loop);
    const ServerEntry entry = entry_of(described, lookup);
    auto server = std::make_shared<Server>(loop, entry, connector(loop, http, entry, log), log);
    return run(loop, work(server, loop, judged));
}
