// mcp_servers.yaml in the forms people have: a list, a map of names, `servers:` with either, and the `mcpServers` block of
// desktop clients.
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/suggest.hpp"
#include "config/contents.hpp"
#include "config/read_into.hpp"
#include "model/describe.hpp"
#include "model/views/framework_servers.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <set>
#include <span>

namespace cadre::config {

namespace {

namespace framework = model::framework;
using framework::DesktopTransport;

/// What a file of servers is made of, if it is no list or map of them itself.
std::span<const std::string> known_sections()
{
    static const std::string all[] = {"mcpServers", "servers", "tools"};
    return all;
}

/// What desktop clients and editors write beside their servers, for themselves. `$schema` is gone by now.
bool is_of_clients(std::string_view field)
{
    const auto ignored = describe(static_cast<const framework::MCPServers*>(nullptr)).ignored;
    return std::ranges::find(ignored, field) != ignored.end();
}

bool is_server(const json::value& value)
{
    const auto* object = value.if_object();
    return object && std::ranges::any_of(std::array{"command", "url", "serverUrl", "config", "transport", "type"},
                                         [&](const char* field) { return object->contains(field); });
}

/// The section that a member is, or was meant to be: `mcp_servers`, `mcpserver`. A server may be called like that too.
std::optional<std::string> find_section(const json::key_value_pair& member)
{
    const auto known = known_sections();
    if (std::ranges::find(known, std::string(member.key())) != known.end()) return std::string(member.key());
    return is_server(member.value()) ? std::nullopt : nearest(member.key(), known);
}

json::object picked(const json::object& from, std::initializer_list<const char*> fields)
{
    json::object some;
    for (const char* field : fields)
        if (const auto* value = from.if_contains(field)) some[field] = *value;
    return some;
}

class Servers {
public:
    Servers(Contents& contents, const File& file, Findings& findings)
        : contents_(contents), file_(file), document_(*file.document), findings_(findings)
    {}

    void file(const json::value& value)
    {
        const auto* object = value.if_object();
        if (!object) return list(value.get_array(), {});
        std::map<std::string, const json::key_value_pair*> sections;
        model::Problems mistyped;
        for (const auto& member : *object) {
            const auto section = find_section(member);
            if (!section || !sections.emplace(*section, &member).second) continue;
            if (member.key() != *section) mistyped.add_unknown_field({}, member.key(), "mcp_servers", known_sections());
        }
        const auto *block = sections["mcpServers"], *servers = sections["servers"], *tools = sections["tools"];
        if (!block && !servers && !(tools && tools->value().is_array())) return map(*object, {});
        report(mistyped, document_, findings_);
        if (block) named(*block);
        if (servers) named(*servers);
        if (tools) tool_list(*tools);
        model::Problems unknown;
        for (const auto& member : *object)
            if (&member != block && &member != servers && &member != tools && !is_of_clients(member.key()))
                unknown.add({.kind = model::ProblemKind::unknown_field,
                             .place = {std::string(member.key())},
                             .text = "is not a field of mcp_servers; it has mcpServers, servers and tools"});
        report(unknown, document_, findings_);
    }

private:
    void named(const json::key_value_pair& section)
    {
        const PathSteps path{std::string(section.key())};
        if (const auto* array = section.value().if_array()) return list(*array, path);
        if (const auto* object = section.value().if_object()) return map(*object, path);
        contents_.open.servers = contents_.open.tools = true;
        report(path, "must be a list of servers, or a map of their names", document_, findings_);
    }

    void list(const json::array& array, const PathSteps& path)
    {
        for (std::size_t i = 0; i < array.size(); ++i) {
            const PathSteps here = joined(path, {i});
            if (add_name(array[i], file_, here, contents_.names.servers)) expect_new(contents_.names.servers.back());
            else contents_.open.servers = contents_.open.tools = true;
            add<framework::MCPServer>(array[i], here);
        }
    }

    void map(const json::object& object, const PathSteps& path)
    {
        for (const auto& member : object) {
            const std::string name(member.key());
            const PathSteps here = joined(path, {name});
            contents_.names.servers.push_back({name, &file_, here});
            expect_new(contents_.names.servers.back());
            const auto* server = member.value().if_object();
            if (name.empty()) report(here, "has an empty name; give the server one", document_, findings_);
            if (!server) report(here, "must be a server: command, or url", document_, findings_);
            else if (server->contains("config")) add<framework::NamedMCPServer>(member.value(), here).name = name;
            else desktop_server(name, *server, here);
        }
    }

    /// Of one name in the project and in the home, the nearer one counts; in two files of a project see check_clashes().
    void expect_new(const Name& name)
    {
        if (!seen_.insert(name.value).second)
            report(name.path, in_quotes(name.value) + " is here twice; server names are unique: rename one of them",
                   document_, findings_);
    }

    /// Reads the value, a copy of the document's, as a T, whatever is wrong with it.
    template <class T>
    T read(json::value value, const PathSteps& path)
    {
        T entity{};
        read_into(value, document_, &entity, describe(&entity), findings_, path);
        return entity;
    }

    template <class T>
    framework::MCPServer& add(const json::value& value, const PathSteps& path)
    {
        contents_.servers.push_back({read<T>(value, path), &file_, path});
        return contents_.servers.back().value;
    }

    /// A server as desktop clients write it becomes one as we do.
    void desktop_server(const std::string& name, const json::object& given, const PathSteps& path)
    {
        if (given.contains("url") || given.contains("serverUrl")) {
            const auto server = read<framework::DesktopHttpServer>(given, path);
            json::object config = picked(given, {"url", "headers"});
            if (const auto* url = given.if_contains("serverUrl")) config.emplace("url", *url);
            add_desktop(name, server, DesktopTransport::http, std::move(config), path);
        } else {
            const auto server = read<framework::DesktopStdioServer>(given, path);
            add_desktop(name, server, DesktopTransport::stdio, picked(given, {"command", "args", "env"}), path);
        }
    }

    void add_desktop(const std::string& name, const framework::DesktopServer& given, DesktopTransport usual,
                     json::object config, const PathSteps& path)
    {
        if (given.disabled) return contents_.disabled_servers.push_back(name);
        framework::MCPServer server{.name = name, .config = std::move(config), .ext = given.ext};
        switch (given.type.value_or(given.transport.value_or(usual))) {
        case DesktopTransport::stdio: server.transport = framework::TransportType::stdio; break;
        case DesktopTransport::sse: server.transport = framework::TransportType::sse; break;
        case DesktopTransport::http: server.transport = framework::TransportType::streamable_http; break;
        }
        contents_.servers.push_back({std::move(server), &file_, path});
    }

    void tool_list(const json::key_value_pair& section)
    {
        const PathSteps list{std::string(section.key())};
        const auto* tools = section.value().if_array();
        if (!tools) {
            contents_.open.tools = true;
            return report(list, "must be a list", document_, findings_);
        }
        for (std::size_t i = 0; i < tools->size(); ++i) {
            const PathSteps path = joined(list, {i});
            const json::value& value = (*tools)[i];
            if (!add_name(value, file_, path, contents_.names.tools)) contents_.open.tools = true;
            else if (const auto* server = find_meant(value.get_object(), "server");
                     server && server->value().is_string())
                contents_.offers.push_back(
                    {std::string(server->value().get_string()), contents_.names.tools.back().value});
            contents_.tools.push_back({read<framework::Tool>(value, path), &file_, path});
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
