// What a project wants, beyond looking: see trust.hpp.
#include "base/json.hpp"
#include "config/place.hpp"
#include "config/project.hpp"
#include "engine/agent.hpp"
#include "home/models.hpp"
#include "home/project/project.hpp"
#include "home/project/trust.hpp"
#include "home/redis_options.hpp"
#include "llm/endpoint.hpp"
#include "mcp/server_entry.hpp"
#include "model/built_in_tools.hpp"
#include "model/team.hpp"
#include "model/views/framework_agent.hpp"
#include "model/wire_name.hpp"
#include "net/egress.hpp"
#include "net/url.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using model::framework::MCPServer;

/// Those that Cadre knows, with what whoever runs it says over them.
model::Providers own_providers(const Project& project)
{
    if (project.chooses_home()) return model::built_in_providers();
    config::Findings findings;
    config::Variables variables(project.place().environment, project.place().variables);
    try {
        return llm::read_providers(project.home(), std::nullopt, variables, findings);
    } catch (const Error&) {
        return model::built_in_providers();  // there is no home
    }
}

/// Whether whoever runs it has said that this key goes to this address.
bool is_operators(const Project& project, const llm::Endpoint& endpoint)
{
    const model::Providers own = own_providers(project);
    const model::Provider* vendor = own.providers.find(endpoint.provider);
    if (!vendor) return false;
    try {
        const llm::Endpoint usual = llm::setup_of(own, endpoint.provider, project.place().environment);
        return usual.base_url == endpoint.base_url && vendor->headers == endpoint.vendor.headers &&
               (endpoint.key_variable.empty() ||
                std::ranges::find(vendor->key_variables, endpoint.key_variable) != vendor->key_variables.end());
    } catch (const Error&) {
        return false;
    }
}

bool is_plain_to_others(const std::string& address)
{
    try {
        const net::Url url = net::url_from(address);
        if (url.tls || url.host == "localhost") return false;
        const char* kind = url.ip ? net::special_use(*url.ip) : nullptr;
        return !kind || std::string_view(kind) != "loopback";
    } catch (const Error&) {
        return true;
    }
}

[[noreturn]] void refuse_plain(const std::string& what, const std::string& address, std::string_view fix)
{
    throw Error(Code::forbidden,
                fmt::format("{} would go to {} over plain http, where everybody on the way can read it; use "
                            "https, or {}",
                            what, address, fix));
}

/// As the file has it, with `${NAME}` where a variable stands: what is shown and trusted holds no secrets, and stays when these change.
boost::json::value as_written(const boost::json::value& value, const config::Place& place)
{
    if (!place.written.empty()) return boost::json::string(place.written);
    if (const auto* list = value.if_array()) {
        boost::json::array items;
        for (std::size_t i = 0; i < list->size(); ++i)
            items.push_back(i < place.items.size() ? as_written((*list)[i], place.items[i]) : (*list)[i]);
        return items;
    }
    const auto* object = value.if_object();
    if (!object) return value;
    boost::json::object members;
    std::size_t i = 0;
    for (const auto& member : *object) {
        members[member.key()] = i < place.items.size() ? as_written(member.value(), place.items[i]) : member.value();
        ++i;
    }
    return members;
}

boost::json::object written_at(const config::File& file, const config::PathSteps& path)
{
    const config::Found found = config::find(file.document->value, file.document->root, path);
    if (!found.exact || !found.value->is_object()) return {};
    boost::json::object server = as_written(*found.value, *found.place).as_object();
    if (auto* inner = server.if_contains("config"); inner && inner->is_object())
        for (const auto& member : boost::json::object(inner->get_object())) server[member.key()] = member.value();
    return server;
}

std::string word_of(const boost::json::value& value)
{
    return value.is_string() ? std::string(value.get_string()) : to_text(value);
}

bool refers(const boost::json::value& value)
{
    return to_text(value).find("${") != std::string::npos;
}

/// Names in `${NAME}` and `${NAME:-default}`.
std::vector<std::string> variables_in(std::string_view text)
{
    std::vector<std::string> names;
    for (std::size_t at = text.find("${"); at != text.npos; at = text.find("${", at + 2))
        names.emplace_back(text.substr(at + 2, text.find_first_of(":}", at) - at - 2));
    return names;
}

/// `$KEY as NAME` of those whose values come from variables. Without the text around it, which would look like a credential itself.
std::vector<std::string> referring(const boost::json::object& server, std::string_view field)
{
    std::vector<std::string> all;
    const auto* members = server.if_contains(field);
    if (!members || !members->is_object()) return all;
    for (const auto& member : members->get_object())
        for (const std::string& variable : variables_in(word_of(member.value())))
            all.push_back(fmt::format("${} as {}", variable, std::string_view(member.key())));
    return all;
}

std::string program_text(const boost::json::object& server)
{
    const auto* command = server.if_contains("command");
    std::string text = "starts " + (command ? word_of(*command) : "a program");
    if (const auto* words = server.if_contains("args"); words && words->is_array())
        for (const auto& word : words->get_array()) text += ' ' + word_of(word);
    if (const auto names = referring(server, "env"); !names.empty())
        text += fmt::format(" with {}", fmt::join(names, ", "));
    return text;
}

void add_server(const config::Placed<MCPServer>& placed, std::vector<Want>& wants)
{
    const boost::json::object written = written_at(*placed.file, placed.path);
    const std::string& name = placed.value.name;
    if (placed.value.transport == model::framework::TransportType::stdio)
        return wants.push_back(
            {.text = fmt::format("{} (MCP server {})", program_text(written), name), .file = placed.file->shown});
    std::vector<std::string> secrets = referring(written, "headers");
    const auto* ext = written.if_contains("ext");
    const auto* oauth = written.if_contains("oauth");
    if ((ext && refers(*ext)) || (oauth && refers(*oauth))) secrets.emplace_back("a secret to sign in");
    if (secrets.empty()) return;
    const std::string all = fmt::format("{}", fmt::join(secrets, ", "));
    const std::string address = model::framework::http_config(placed.value).url;
    if (is_plain_to_others(address))
        refuse_plain(fmt::format("MCP server {}: {}", name, all), address,
                     "name the server in config/mcp_servers.yaml of your home");
    wants.push_back(
        {.text = fmt::format("sends {} to {} (MCP server {})", all, address, name), .file = placed.file->shown});
}

void add_secrets(std::string_view name, const boost::json::value& written, const Project& project,
                 std::vector<Secret>& secrets)
{
    if (const auto* object = written.if_object())
        for (const auto& member : *object) add_secrets(member.key(), member.value(), project, secrets);
    if (const auto* list = written.if_array())
        for (const auto& one : *list) add_secrets(name, one, project, secrets);
    if (!written.is_string()) return;
    for (const std::string& variable : variables_in(written.get_string()))
        if (auto value = project.variable(variable); value && mcp::is_key(name, variable, *value))
            secrets.emplace_back(std::move(*value));
}

/// Secrets of accounts go to their vendors, or to where the file says.
void add_accounts(const Project& project, std::vector<Want>& wants)
{
    for (const auto& [all, file, at] : project.contents().accounts) {
        if (!project.is_projects(file->path)) continue;
        for (const auto& [name, account] : all.accounts) {
            const boost::json::object written = written_at(*file, {"accounts", name});
            std::vector<std::string> secrets;
            for (const auto& member : written)
                for (const std::string& variable : variables_in(word_of(member.value())))
                    secrets.push_back(fmt::format("${} as {}", variable, std::string_view(member.key())));
            if (secrets.empty()) continue;
            const std::string sent = fmt::format("{}", fmt::join(secrets, ", "));
            const std::string vendor(model::wire_name(account.vendor));
            const std::string to = account.url.empty() ? vendor : account.url;
            // mail servers are spoken to over TLS, or on this machine
            const bool is_mail = account.vendor == model::ChannelVendor::smtp;
            if (!account.url.empty() && !is_mail && is_plain_to_others(account.url))
                refuse_plain(fmt::format("account {}: {}", name, sent), to,
                             "name the account in config/accounts.yaml of your home");
            wants.push_back({.text = fmt::format("sends {} to {} (account {})", sent, to, name), .file = file->shown});
        }
    }
}

/// Servers that its agents are granted tools of. A tool that nobody else has may be any server's.
bool is_granted(const model::Team& team, const std::string& server)
{
    const auto is_known = [&](const std::string& name) {
        return std::ranges::find(model::kBuiltInTools, name) != std::end(model::kBuiltInTools) ||
               std::ranges::find(team.tools, name, &model::Tool::name) != team.tools.end();
    };
    for (const model::Tool& tool : team.tools)
        if (tool.server == server) return true;
    for (const model::Agent& agent : team.agents)
        for (const std::string& name : agent.tools)
            if (name.starts_with(server + ".") || (name.find('.') == name.npos && !is_known(name))) return true;
    return false;
}

void add_unique(std::vector<Want>& wants, std::vector<Want> more)
{
    for (Want& want : more)
        if (std::ranges::find(wants, want.text, &Want::text) == wants.end()) wants.push_back(std::move(want));
}

void add_rules(const Project& project, const model::Team& team, const std::string& file, std::vector<Want>& wants)
{
    for (const std::string& rule : team.permissions.allow) wants.push_back({.text = rule_want(rule), .file = file});
    for (const model::Tool& tool : team.tools) {
        const bool is_code = tool.name == "shell" || tool.name == "python";
        if (is_code && tool.permission == model::Permission::allow)
            wants.push_back({.text = rule_want(tool.name), .file = file});
        if (tool.type == model::ToolType::custom && tool.path)
            wants.push_back(
                {.text = fmt::format("starts {} in the sandbox (tool {})",
                                     fs::path(*tool.path).lexically_relative(project.folder()).string(), tool.name),
                 .file = file});
    }
}

}  // namespace

std::vector<Want> wants_of(const Project& project, const llm::Endpoint& endpoint, std::string_view file)
{
    // a key of the project's own, in its .env, is the project's to send
    const bool is_users = !endpoint.key.empty() && !endpoint.key_variable.empty() &&
                          project.place().environment(endpoint.key_variable).has_value();
    const bool has_headers = !endpoint.other_secrets.empty();
    if ((!is_users && !has_headers) || is_operators(project, endpoint)) return {};
    const std::string what = is_users ? "$" + endpoint.key_variable : "headers with secrets";
    if (is_plain_to_others(endpoint.base_url))
        refuse_plain(what, endpoint.base_url,
                     "set the address in the environment or in config/providers.yaml of your home");
    return {{.text = fmt::format("sends {} to {} (provider {})", what, endpoint.base_url, endpoint.provider),
             .file = std::string(file)}};
}

std::vector<Want> wants_of(const Project& project, const MCPServer& server)
{
    std::vector<Want> wants;
    for (const auto& placed : project.contents().servers)
        if (placed.value.name == server.name && project.is_projects(placed.file->path)) add_server(placed, wants);
    return wants;
}

std::vector<Secret> secrets_of(const Project& project, const MCPServer& server)
{
    std::vector<Secret> secrets;
    for (const auto& placed : project.contents().servers)
        if (placed.value.name == server.name) add_secrets("", written_at(*placed.file, placed.path), project, secrets);
    return secrets;
}

std::vector<Want> wants_of(const Project& project)
{
    std::vector<Want> wants = home_wants(project, project.home());
    for (const std::string& rule : project.settings().permissions.allow)
        add_unique(wants, {{.text = rule_want(rule), .file = "cadre.yaml"}});
    add_unique(wants, redis_wants(project));
    for (const auto& placed : project.contents().servers) add_unique(wants, wants_of(project, placed.value));
    add_accounts(project, wants);
    for (const auto& [name, provider] : project.providers().providers) {
        try {
            add_unique(wants, wants_of(project, llm::setup_of(project.providers(), name, project.variables()),
                                       "config/providers.yaml"));
        } catch (const Error& error) {
            if (error.code() == Code::forbidden) throw;  // else it cannot be asked, which is another matter
        }
    }
    return wants;
}

std::vector<Want> wants_of(const Project& project, const model::Team& team, const fs::path& file,
                           const std::string& model)
{
    std::vector<Want> wants;
    const bool is_projects = file.empty() || project.is_projects(file);
    const std::string shown = file.empty() ? "" : project.shown(file);
    if (is_projects) add_rules(project, team, shown, wants);
    add_unique(wants, redis_wants(project));
    // as far as they could be read: what is wrong with them is told by those who need them
    for (const auto& placed : project.contents().servers)
        if (is_granted(team, placed.value.name)) add_unique(wants, wants_of(project, placed.value));
    for (const engine::Agent& agent : engine::agents_of(team, model, team.execution_config.mode))
        for (const model::LlmConfig& llm : agent.models) {
            if (is_script(llm.provider) || is_local(llm.provider) || llm.provider == kFunction) continue;
            if (!is_projects && llm.base_url) continue;  // the operator's own word
            try {
                add_unique(wants,
                           wants_of(project, llm::endpoint_of(project.providers(), llm, project.variables()), shown));
            } catch (const Error& error) {
                if (error.code() == Code::forbidden) throw;
            }
        }
    return wants;
}

}  // namespace cadre::home
