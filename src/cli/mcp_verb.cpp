#include "cli/mcp_verb.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/member_text.hpp"
#include "base/plural.hpp"
#include "base/redact.hpp"
#include "base/run.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/layout.hpp"
#include "cli/mcp_entry.hpp"
#include "cli/mcp_login.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"
#include "config/project.hpp"
#include "home/project/project.hpp"
#include "home/project/project_tools.hpp"
#include "home/project/trust.hpp"
#include "mcp/content.hpp"
#include "mcp/server.hpp"
#include "net/loop.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <map>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// One action of the verb, with the servers of the project around it. They are ended before the action is over.
class Servers {
public:
    explicit Servers(Output& output)
        : output_(output),
          project_(config::find_project(place_here().folder)),
          projects_(place_here(), home_here()),
          tools_(loop_, projects_, home_here(), log_here())
    {}

    template <class F>
    int run(F action)
    {
        return cadre::run(loop_, whole(std::move(action)));
    }

    Output& output() { return output_; }
    const fs::path& project() const { return project_; }
    home::ProjectTools& tools() { return tools_; }
    std::shared_ptr<mcp::Server> named(const std::string& name)
    {
        const auto own = projects_.current(project_);
        for (const auto& server : own->servers())
            if (server.name == name) home::expect_trusted(*own, home::wants_of(*own, server));
        return tools_.server(project_, name);
    }

private:
    template <class F>
    Async<int> whole(F action)
    {
        F held = std::move(action);
        std::exception_ptr failure;
        int code = 0;
        try {
            code = co_await held(*this);
        } catch (const Error&) {
            failure = std::current_exception();
        }
        co_await tools_.close();
        if (failure) std::rethrow_exception(failure);
        co_return code;
    }

    Output& output_;
    net::Loop loop_;
    fs::path project_;
    home::Projects projects_;
    home::ProjectTools tools_;
};

json::object arguments_in(const Args& args, std::size_t place)
{
    const auto words = args.all("more");
    if (words.size() <= place) return {};
    json::value value;
    try {
        value = parse_json(words[place]);
    } catch (const Error&) {  // said below
    }
    if (!value.is_object())
        throw Error(Code::invalid,
                    fmt::format("arguments are a JSON object, like '{{\"path\": \"a\"}}', not {}", words[place]));
    return value.get_object();
}

std::string word(const Args& args, std::size_t place, std::string_view what)
{
    const auto words = args.all("more");
    if (words.size() > place) return words[place];
    throw Error(Code::invalid, fmt::format("cadre mcp {} needs {}; cadre help mcp has examples", args["action"], what));
}

void print_rows(Output& output, const json::array& items, std::string_view key, std::string_view name)
{
    if (output.json) return output.print(to_text(json::object{{key, items}}) + "\n");
    std::vector<Row> rows;
    for (const json::value& item : items)
        if (const auto* object = item.if_object())
            rows.push_back({printable(text_in(*object, name)), printable(text_in(*object, "description"))});
    if (rows.empty() && !output.quiet) output.complain(fmt::format("no {}\n", key));
    output.print(table(rows));
}

Async<int> list(Servers& servers)
{
    const auto all = servers.tools().servers(servers.project());
    Output& output = servers.output();
    json::array items;
    for (const auto& server : all) {
        const mcp::ServerEntry& entry = server->entry();
        const std::string where = entry.argv.empty() ? entry.url : fmt::format("{}", fmt::join(entry.argv, " "));
        items.push_back({{"name", entry.name}, {"description", redact(where)}});
    }
    print_rows(output, items, "servers", "name");
    if (all.empty() && !output.json && !output.quiet)
        output.complain("no servers; to add one: " + as_typed("cadre mcp add NAME COMMAND-OR-URL") + "\n");
    co_return 0;
}

Async<int> tools_of(Servers& servers, std::string name)
{
    json::array items;
    const auto server = servers.named(name);
    const auto client = co_await server->client();
    items = *co_await client->list(mcp::ListKind::tools);
    print_rows(servers.output(), items, "tools", "name");
    co_return 0;
}

/// As an agent would hear it.
int tell(Output& output, const json::object& answer)
{
    const tools::Result result = mcp::to_result(answer);
    if (output.json) output.print(to_text(answer) + "\n");
    else output.print(printable(result.text) + "\n");
    if (!output.json && !output.quiet)
        for (const tools::Media& media : result.media)
            output.complain(fmt::format("[{}, {} bytes; --json has it]\n", printable(media.mime_type),
                                        media.base64.size() / 4 * 3));
    return result.is_error ? surface(Code::upstream).exit : 0;
}

Async<int> call(Servers& servers, std::string name, std::string tool, json::object arguments)
{
    const auto client = co_await servers.named(name)->client();
    co_return tell(servers.output(), co_await client->call_tool(std::move(tool), std::move(arguments)));
}

Async<int> resources(Servers& servers, std::string name, std::optional<std::string> uri)
{
    const auto client = co_await servers.named(name)->client();
    if (!uri) {
        print_rows(servers.output(), *co_await client->list(mcp::ListKind::resources), "resources", "uri");
        co_return 0;
    }
    const json::object answer = co_await client->read_resource(*uri);
    Output& output = servers.output();
    if (output.json) output.print(to_text(answer) + "\n");
    else if (const auto* contents = answer.if_contains("contents"); contents && contents->is_array())
        for (const json::value& content : contents->get_array())
            if (content.is_object()) output.print(printable(text_in(content.get_object(), "text")) + "\n");
    co_return 0;
}

Async<int> prompts(Servers& servers, std::string name, std::optional<std::string> prompt, json::object arguments)
{
    const auto client = co_await servers.named(name)->client();
    if (!prompt) {
        print_rows(servers.output(), *co_await client->list(mcp::ListKind::prompts), "prompts", "name");
        co_return 0;
    }
    const json::object answer = co_await client->get_prompt(*prompt, std::move(arguments));
    servers.output().print(to_text(answer) + "\n");
    co_return 0;
}

/// Says what is agreed to: a description is what a model will read.
Async<int> approve_tools(Servers& servers, std::string name, std::optional<std::string> only)
{
    const auto server = servers.named(name);
    std::vector<Row> changed;
    bool found = !only;
    for (const mcp::ListedTool& tool : *co_await server->tools()) {
        if (only && tool.definition.name != *only) continue;
        found = true;
        if (servers.tools().known().approve(mcp::pin_name(server->entry()), tool.definition.name, tool.hash))
            changed.push_back({printable(tool.definition.name), printable(tool.definition.description)});
    }
    if (!found) throw Error(Code::not_found, fmt::format("server {} has no tool {}", name, in_quotes(*only)));
    Output& output = servers.output();
    output.print(table(changed) + fmt::format("{} agreed to\n", plural(changed.size(), "changed tool")));
    co_return 0;
}

/// The most words that an action takes; adding a server and reading a secret have their own rules.
void expect_no_more(const Args& args)
{
    static const std::map<std::string_view, std::size_t> kMost = {{"list", 0},      {"tools", 1},   {"call", 3},
                                                                  {"resources", 2}, {"prompts", 3}, {"approve", 2},
                                                                  {"logout", 1},    {"remove", 1}};
    const auto words = args.all("more");
    const auto most = kMost.find(args["action"]);
    if (most != kMost.end() && words.size() > most->second)
        throw Error(Code::invalid, fmt::format("cadre mcp {}: {} is one word too many", args["action"],
                                               in_quotes(words[most->second])));
}

/// Who types a server's command wants it.
void trust_added(const std::string& name)
{
    const home::Place place = place_here();
    if (home::trust_file(place).empty()) return;
    const home::Project project(place, place.folder);
    for (const auto& placed : project.contents().servers)
        if (placed.value.name == name) home::trust(place, project.folder(), home::wants_of(project, placed.value));
}

int mcp(const Args& args, Output& output)
{
    const std::string action = args["action"];
    if (action == "add") {
        auto words = args.all("more");
        const std::string name = word(args, 0, "a name, and a command or a URL");
        word(args, 1, "a command or a URL");
        words.erase(words.begin());
        const fs::path file = add_server(config::find_project(place_here().folder), name, words);
        trust_added(name);
        if (!output.quiet)
            output.complain(fmt::format("added to {}; to see what it offers: {}\n", file.string(),
                                        as_typed("cadre mcp tools " + name)));
        return 0;
    }
    expect_no_more(args);
    if (action == "remove") {
        const std::string name = word(args, 0, "the name of a server");
        const fs::path file = remove_server(config::find_project(place_here().folder), name);
        if (!output.quiet) output.complain(fmt::format("removed from {}\n", file.string()));
        return 0;
    }
    Servers servers(output);
    if (action == "list") return servers.run([](Servers& all) { return list(all); });
    const std::string name = word(args, 0, "the name of a server");
    const auto words = args.all("more");
    const auto second = words.size() > 1 ? std::optional(words[1]) : std::nullopt;
    if (action == "login") {
        if (words.size() > 1)
            throw Error(Code::invalid, "do not pass a secret as an argument: other users can see it; it is read from "
                                       "standard input, or from the terminal");
        return servers.run([&](Servers& all) { return log_in(all.tools().kept(), *all.named(name), all.output()); });
    }
    if (action == "logout")
        return servers.run([&](Servers& all) { return log_out(all.tools().kept(), name, all.output()); });
    if (action == "tools") return servers.run([&](Servers& all) { return tools_of(all, name); });
    if (action == "call") {
        const std::string tool = word(args, 1, "the name of a tool");
        return servers.run([&](Servers& all) { return call(all, name, tool, arguments_in(args, 2)); });
    }
    if (action == "resources") return servers.run([&](Servers& all) { return resources(all, name, second); });
    if (action == "prompts")
        return servers.run([&](Servers& all) { return prompts(all, name, second, arguments_in(args, 2)); });
    return servers.run([&](Servers& all) { return approve_tools(all, name, second); });
}

std::vector<std::string> actions()
{
    return {"list", "tools", "call", "resources", "prompts", "add", "remove", "approve", "login", "logout"};
}

}  // namespace

Verb mcp_verb()
{
    return {
        .name = "mcp",
        .summary = "Look at MCP servers, call their tools, add and remove servers",
        .arguments =
            {{.name = "action", .help = "What to do", .choices = actions},
             {.name = "more",
              .help = "The server, and what the action needs: a tool and its arguments, a URI, a prompt, a command",
              .count = Argument::Count::repeated}},
        .text =
            "Servers are those of config/mcp_servers.yaml, in the project and in the home, in any of the forms that "
            "other "
            "clients write. They are started when something is asked of them. An agent is granted their tools as "
            "server.tool, or all of them as server.*.\n\n"
            "What a tool was when it was first seen is remembered. If its server says something else about it later, a "
            "person must agree to each call, until cadre mcp approve SERVER, or SERVER TOOL for one of them.\n\n"
            "A server that wants to know who asks gets a token: cadre mcp login SERVER reads it from the terminal, "
            "unseen, or from standard input, and keeps it in the home for this server at this address; cadre mcp "
            "logout SERVER "
            "forgets it. For a server whose entry has ext.oauth it reads the client secret or the private key.",
        .examples = {{"cadre mcp list", "The servers of this project"},
                     {"cadre mcp add files npx -- -y server-files .", "A server that is a program"},
                     {"cadre mcp add docs https://tools.example.org/mcp", "A server elsewhere"},
                     {"cadre mcp remove docs", "It is not a server of this project any more"},
                     {"cadre mcp tools files", "What it offers"},
                     {"cadre mcp call files read '{\"path\": \"a.txt\"}'", "Call a tool by hand"},
                     {"cadre mcp login docs < token.txt", "Keep a token for it"},
                     {"cadre mcp resources docs docs://index", "Read a resource; without a URI, list them"}},
        .run = mcp,
    };
}

}  // namespace cadre::cli
