// mcp_servers.yaml in the forms people have: a list, a map of names, `servers:` with either, and the `mcpServers` block of
// desktop clients.
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "config/contents.hpp"
#include "config/read_into.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace cadre::config {

namespace {

namespace framework = model::framework;

/// What desktop clients write beside what we use; about their windows, so not about us.
constexpr std::string_view kClientFields[] = {"alwaysAllow", "autoApprove", "description", "disabledTools", "envFile",
                                              "icon",        "timeout",     "cwd",         "gallery",       "version"};

class Servers {
public:
    Servers(Contents& contents, const File& file, Findings& findings)
        : contents_(contents), file_(file), document_(*file.document), findings_(findings)
    {}

    void file(const json::value& value)
    {
        const auto* object = value.if_object();
        if (!object) return list(value.get_array(), "");
        if (const auto* block = object->if_contains("mcpServers")) return named(*block, "mcpServers");
        const auto* servers = object->if_contains("servers");
        const auto* tools = object->if_contains("tools");
        const bool has_sections = servers || (tools && tools->is_array());
        if (!has_sections) return map(*object, "");
        if (servers) named(*servers, "servers");
        if (tools) tool_list(*tools);
        for (const auto& member : *object)
            if (member.key() != "servers" && member.key() != "tools")
                report(std::string(member.key()), "is not a field of mcp_servers; it has servers and tools", document_,
                       findings_);
    }

private:
    void named(const json::value& value, const std::string& path)
    {
        if (const auto* array = value.if_array()) list(*array, path);
        else if (const auto* object = value.if_object()) map(*object, path);
        else report(path, "must be a list of servers, or a map of their names", document_, findings_);
    }

    void list(const json::array& array, const std::string& path)
    {
        for (std::size_t i = 0; i < array.size(); ++i) {
            const std::string here = element(path, i);
            const auto* object = array[i].if_object();
            const auto* name = object ? object->if_contains("name") : nullptr;
            if (name && name->is_string()) add_name(std::string(name->get_string()), joined(here, "name"));
            read_server(array[i], here);
        }
    }

    void map(const json::object& object, const std::string& path)
    {
        for (const auto& member : object) {
            const std::string here = joined(path, member.key());
            add_name(std::string(member.key()), here);
            const auto* server = member.value().if_object();
            if (!server) {
                report(here, "must be a server: command, or url", document_, findings_);
            } else if (server->contains("config")) {
                json::object with_name = *server;
                with_name["name"] = member.key();
                read_server(with_name, here);
            } else {
                desktop_server(std::string(member.key()), *server, here);
            }
        }
    }

    void add_name(std::string name, std::string path)
    {
        // of one name in the project and in the home, the nearer one counts; in two files of a project see check_clashes()
        if (!seen_.insert(name).second)
            report(path, cadre::quoted(name) + " is here twice; server names are unique", document_, findings_);
        contents_.names.servers.push_back({std::move(name), &file_, std::move(path)});
    }

    void read_server(json::value value, const std::string& path)
    {
        framework::MCPServer server;
        if (read_into(value, document_, &server, describe(&server), findings_, path))
            contents_.servers.push_back({std::move(server), &file_, path});
    }

    /// {command, args, env} or {url, headers}, and `type` or `transport` where the client does not guess it.
    void desktop_server(const std::string& name, const json::object& given, const std::string& path)
    {
        const bool is_http = given.contains("url") || given.contains("serverUrl");
        const std::string transport = transport_of(given, is_http, path);
        const std::vector<std::string> ours =
            is_http ? std::vector<std::string>{"url", "headers"} : std::vector<std::string>{"command", "args", "env"};
        json::object config;
        model::Problems problems;
        for (const auto& member : given) {
            const std::string_view key = member.key();
            if (std::ranges::find(ours, key) != ours.end()) config[key] = member.value();
            else if (key == "serverUrl") config["url"] = member.value();
            else if (key != "type" && key != "transport" && key != "disabled" && key != "name" &&
                     std::ranges::find(kClientFields, key) == std::end(kClientFields)) {
                const auto near = nearest(key, ours);
                problems.add(std::string(key), fmt::format("is not a field of mcp_server{}",
                                                           near ? fmt::format(", did you mean \"{}\"?", *near) : ""));
            }
        }
        framework::HttpConfig http;
        framework::StdioConfig stdio;
        if (is_http) model::read(config, &http, describe(&http), {}, problems, {});
        else model::read(config, &stdio, describe(&stdio), {}, problems, {});
        report(problems, document_, findings_, path);
        const auto* disabled = given.if_contains("disabled");
        if (!problems.empty() || transport.empty() || (disabled && *disabled == json::value(true))) return;
        const auto kind = transport == "stdio" ? framework::TransportType::stdio
                          : transport == "sse" ? framework::TransportType::sse
                                               : framework::TransportType::streamable_http;
        contents_.servers.push_back({{.name = name, .transport = kind, .config = std::move(config)}, &file_, path});
    }

    std::string transport_of(const json::object& given, bool is_http, const std::string& path)
    {
        for (const char* key : {"type", "transport"}) {
            const auto* value = given.if_contains(key);
            if (!value) continue;
            const std::string word = value->is_string() ? std::string(value->get_string()) : "";
            if (word == "stdio" || word == "sse") return word;
            if (word == "http" || word == "streamable-http" || word == "streamable_http") return "http";
            report(joined(path, key), fmt::format("{} is none of stdio, sse, http", cadre::quoted(word)), document_,
                   findings_);
            return {};
        }
        return is_http ? "http" : "stdio";
    }

    void tool_list(const json::value& tools)
    {
        if (!tools.is_array()) return report("tools", "must be a list", document_, findings_);
        for (std::size_t i = 0; i < tools.get_array().size(); ++i) {
            const std::string path = element("tools", i);
            json::value value = tools.get_array()[i];
            const auto* name = value.is_object() ? value.get_object().if_contains("name") : nullptr;
            if (name && name->is_string())
                contents_.names.tools.push_back({std::string(name->get_string()), &file_, joined(path, "name")});
            framework::Tool tool;
            if (read_into(value, document_, &tool, describe(&tool), findings_, path))
                contents_.tools.push_back({std::move(tool), &file_, path});
        }
    }

    Contents& contents_;
    const File& file_;
    const Document& document_;
    Findings& findings_;
    std::set<std::string> seen_;
};

}  // namespace

void add_servers(Contents& contents, const File& file, Findings& findings)
{
    Servers(contents, file, findings).file(file.document->value);
}

}  // namespace cadre::config
