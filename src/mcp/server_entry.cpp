#include "mcp/server_entry.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/redact.hpp"
#include "mcp/oauth/challenge.hpp"
#include "mcp/oauth/metadata.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace cadre::mcp {

namespace {

/// What a program needs to run at all; nothing else of ours reaches it.
constexpr std::array kInherited = {"PATH",   "HOME",     "USER", "LOGNAME", "SHELL", "LANG",
                                   "LC_ALL", "LC_CTYPE", "TZ",   "TMPDIR",  "TERM"};

constexpr std::int64_t kLongestSeconds = 7 * 24 * 3600;

[[noreturn]] void refuse(const std::string& server, const std::string& why)
{
    throw Error(Code::invalid, fmt::format("MCP server {}: {}", server, why));
}

/// `${NAME}` and `${NAME:-default}` replaced, `$${` for the characters themselves.
std::string resolved(std::string_view text, const Lookup& variables, const std::string& server, std::string_view field)
{
    std::string out;
    while (true) {
        const std::size_t start = text.find("${");
        if (start == text.npos) return out.append(text);
        if (start > 0 && text[start - 1] == '$') {
            out.append(text.substr(0, start - 1)).append("${");
            text.remove_prefix(start + 2);
            continue;
        }
        const std::size_t end = text.find('}', start);
        if (end == text.npos) refuse(server, fmt::format("`{}` has a ${{ without its }}", field));
        out.append(text.substr(0, start));
        const std::string_view inside = text.substr(start + 2, end - start - 2);
        const std::size_t colon = inside.find(":-");
        const std::string name(inside.substr(0, colon));
        if (auto value = variables ? variables(name) : std::nullopt) out += *value;
        else if (colon != inside.npos) out += inside.substr(colon + 2);
        else
            refuse(server, fmt::format("`{}` needs the environment variable {}, which is not set: set it", field,
                                       in_quotes(name)));
        text.remove_prefix(end + 1);
    }
}

/// The name of the variable in `${NAME}` or `${NAME:-default}`; of several the first.
std::string_view variable_in(std::string_view text)
{
    const std::size_t start = text.find("${");
    if (start == text.npos) return {};
    text.remove_prefix(start + 2);
    return text.substr(0, text.find_first_of(":}"));
}

class Ext {
public:
    Ext(const json::object& fields, const std::string& server) : fields_(fields), server_(server) {}

    bool flag(std::string_view name) const
    {
        const json::value* value = fields_.if_contains(name);
        if (!value) return false;
        if (!value->is_bool()) refuse(server_, fmt::format("`ext.{}` must be true or false", name));
        return value->get_bool();
    }
    Millis seconds(std::string_view name, Millis usual) const
    {
        const json::value* value = fields_.if_contains(name);
        if (!value) return usual;
        if (!value->is_int64() || value->get_int64() < 1 || value->get_int64() > kLongestSeconds)
            refuse(server_, fmt::format("`ext.{}` must be a number of seconds from 1 to {}", name, kLongestSeconds));
        return std::chrono::seconds(value->get_int64());
    }
    std::vector<std::string> roots() const
    {
        std::vector<std::string> all;
        const json::value* value = fields_.if_contains("roots");
        if (!value) return all;
        if (!value->is_array()) refuse(server_, "`ext.roots` must be a list of folders");
        for (const json::value& one : value->get_array()) {
            if (!one.is_string()) refuse(server_, "`ext.roots` must be a list of folders");
            const std::string_view text = one.get_string();
            if (!text.starts_with('/') && !text.starts_with("file://"))
                refuse(server_, fmt::format("`ext.roots`: {} is not an absolute path", in_quotes(text)));
            all.push_back(text.starts_with('/') ? "file://" + std::string(text) : std::string(text));
        }
        return all;
    }
    std::string log_level(std::string usual) const
    {
        static constexpr std::array kLevels = {"debug",    "info",  "notice",    "warning", "error",
                                               "critical", "alert", "emergency", "off"};
        const json::value* value = fields_.if_contains("log_level");
        if (!value) return usual;
        if (!value->is_string() || std::ranges::find(kLevels, std::string_view(value->get_string())) == kLevels.end())
            refuse(
                server_,
                "`ext.log_level` must be one of debug, info, notice, warning, error, critical, alert, emergency, off");
        return value->get_string() == "off" ? std::string() : std::string(value->get_string());
    }

    const json::object* oauth() const
    {
        const json::value* value = fields_.if_contains("oauth");
        if (!value) return nullptr;
        if (!value->is_object())
            refuse(server_, "`ext.oauth` must be an object, such as {client_id: …, client_secret: ${VAR}}");
        return &value->get_object();
    }

private:
    const json::object& fields_;
    const std::string& server_;
};

/// Every text of `ext.oauth` by its name, with variables replaced.
class OauthFields {
public:
    OauthFields(const json::object& fields, const Lookup& variables, const std::string& server)
        : fields_(fields), variables_(variables), server_(server)
    {
        for (const auto& member : fields) {
            const std::string_view name = member.key();
            if (const auto known = std::ranges::find(kNames, name); known == kNames.end())
                refuse(server,
                       fmt::format("`ext.oauth` has no field {}; it has {}", in_quotes(name), fmt::join(kNames, ", ")));
            if (!member.value().is_string()) refuse(server, fmt::format("`ext.oauth.{}` must be a text", name));
        }
    }

    std::string text(std::string_view name) const
    {
        const json::value* value = fields_.if_contains(name);
        return value ? resolved(value->get_string(), variables_, server_, fmt::format("ext.oauth.{}", name)) : "";
    }

private:
    static constexpr std::array<std::string_view, 7> kNames = {
        "client_id", "client_secret", "private_key", "private_key_file", "method", "scope", "token_url"};

    const json::object& fields_;
    const Lookup& variables_;
    const std::string& server_;
};

oauth::Settings oauth_settings(const json::object& object, const Lookup& variables, const std::string& server)
{
    const OauthFields fields(object, variables, server);
    oauth::Settings settings{.client_id = fields.text("client_id"),
                             .client_secret = Secret(fields.text("client_secret")),
                             .private_key = Secret(fields.text("private_key")),
                             .private_key_file = fields.text("private_key_file"),
                             .scope = oauth::canonical_scope(fields.text("scope")),
                             .token_url = fields.text("token_url")};
    if (settings.client_id.empty()) refuse(server, "`ext.oauth.client_id` is required");
    const bool file = !settings.private_key_file.empty();
    if (int(!settings.client_secret.empty()) + int(!settings.private_key.empty()) + int(file) > 1)
        refuse(server, "`ext.oauth` has more than one secret; keep client_secret, private_key or private_key_file");
    if (const std::string method = fields.text("method"); !method.empty()) {
        const auto* known = std::ranges::find(oauth::kMethods, method, [](const auto& pair) { return pair.second; });
        if (known == std::end(oauth::kMethods))
            refuse(server, "`ext.oauth.method` must be client_secret_basic, client_secret_post or private_key_jwt");
        settings.method = known->first;
    }
    if (settings.scope.empty() && !fields.text("scope").empty())
        refuse(server, "`ext.oauth.scope` must be words with blanks between them");
    try {
        if (!settings.token_url.empty()) oauth::expect_safe(settings.token_url, "`ext.oauth.token_url`");
    } catch (const Error& error) {
        refuse(server, error.what());
    }
    return settings;
}

bool is_header_text(std::string_view text)
{
    return std::ranges::all_of(
        text, [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F); });
}

/// What is shorter is no key, and to mask `en` or `1` in every log would make them useless.
constexpr std::size_t kShortestKey = 8;

void keep_secret(ServerEntry& entry, std::string text)
{
    if (text.size() >= kShortestKey) entry.secrets.emplace_back(std::move(text));
}

}  // namespace

bool is_key(std::string_view name, std::string_view variable, std::string_view value)
{
    if (value.size() < kShortestKey) return false;
    if (is_secret_name(name) || is_secret_name(variable)) return true;
    const auto has = [&](auto test) {
        return std::ranges::any_of(value, [&](char c) { return test(static_cast<unsigned char>(c)); });
    };
    return value.size() >= 16 && value.find('/') == value.npos && has([](int c) { return std::isdigit(c); }) &&
           has([](int c) { return std::isalpha(c); });
}

ServerEntry entry_of(const model::framework::MCPServer& server, const Lookup& variables)
{
    ServerEntry entry{.name = server.name, .transport = server.transport};
    const Ext ext(server.ext, server.name);
    entry.trusted = ext.flag("trusted");
    entry.sandbox = ext.flag("sandbox");
    entry.network = ext.flag("network");
    if (entry.network && !entry.sandbox) refuse(server.name, "`ext.network` is for a server with `ext.sandbox: true`");
    if (entry.sandbox && server.transport != model::framework::TransportType::stdio)
        refuse(server.name, "`ext.sandbox` is for servers that are programs; this one has a URL");
    entry.client = {.server = server.name, .sampling = ext.flag("sampling"), .elicitation = ext.flag("elicitation")};
    entry.client.roots = ext.roots();
    entry.client.log_level = ext.log_level(entry.client.log_level);
    entry.client.idle = ext.seconds("timeout_seconds", std::chrono::seconds(model::kToolTimeout));
    entry.client.cap = std::max(entry.client.idle, ext.seconds("max_seconds", entry.client.cap));
    entry.client.greeting = ext.seconds("start_seconds", entry.client.greeting);
    if (server.transport == model::framework::TransportType::stdio) {
        const auto config = stdio_config(server);
        entry.argv = {config.command};
        entry.argv.insert(entry.argv.end(), config.args.begin(), config.args.end());
        for (const char* name : kInherited)
            if (auto value = variables ? variables(name) : std::nullopt; value && !config.env.find(name))
                entry.environment.push_back(fmt::format("{}={}", name, *value));
        for (const auto& [name, value] : config.env) {
            const std::string text = resolved(value, variables, server.name, "env." + name);
            entry.environment.push_back(fmt::format("{}={}", name, text));
            if (text != value && is_key(name, variable_in(value), text)) keep_secret(entry, text);
        }
        if (ext.oauth())
            refuse(server.name, "`ext.oauth` is for servers with a URL; a program gets its secrets in `env`");
        return entry;
    }
    const auto config = http_config(server);
    entry.url = config.url;
    for (const auto& [name, value] : config.headers) {
        std::string text = resolved(value, variables, server.name, "headers." + name);
        if (!is_header_text(text))
            refuse(server.name, fmt::format("`headers.{}` has a character that no header has", name));
        keep_secret(entry, text);
        // what is secret is the token; `Bearer ` before it is not
        if (const std::size_t blank = text.find(' '); blank != text.npos) keep_secret(entry, text.substr(blank + 1));
        entry.headers.push_back({name, std::move(text)});
    }
    if (const json::object* oauth = ext.oauth()) {
        if (net::find_header(entry.headers, "Authorization"))
            refuse(server.name, "it has both `headers.Authorization` and `ext.oauth`; keep one of them");
        entry.oauth = oauth_settings(*oauth, variables, server.name);
        try {
            oauth::expect_safe(entry.url, "a server that is signed in to");
        } catch (const Error& error) {
            refuse(server.name, error.what());
        }
    }
    return entry;
}

}  // namespace cadre::mcp
