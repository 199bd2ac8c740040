// What the operator's files say about a server, made ready for use.
#pragma once

#include "base/secret.hpp"
#include "base/time.hpp"
#include "mcp/client.hpp"
#include "mcp/oauth/settings.hpp"
#include "model/views/framework_agent.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::mcp {

/// The process's environment, handed in by whoever owns the process.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;

struct ServerEntry {
    std::string name{};
    model::framework::TransportType transport = model::framework::TransportType::stdio;
    std::vector<std::string> argv{};         // stdio
    std::vector<std::string> environment{};  // all of it, as NAME=value
    std::filesystem::path folder{};          // that it is started in; empty: ours
    std::string url{};                       // the others
    net::HttpHeaders headers{};
    std::optional<oauth::Settings> oauth{};
    bool trusted = false;  // its hints about its own tools count
    bool sandbox = false;  // stdio: locked in, with everything that it starts
    bool network = false;  // then: whether it has one
    ClientOptions client{};
    std::vector<Secret> secrets{};  // masked wherever they turn up, for as long as the entry lives
};

/// `ext` of the entry may say: `trusted`, `sandbox`, `network`, `sampling`, `elicitation` (truth values), `roots` (paths or file:// URIs), `timeout_seconds`
/// (of silence in a call), `max_seconds` (of a whole call), `start_seconds`, `log_level`, `oauth` (docs/reference/mcp.md). `${VAR}` in
/// `env`, `headers` and `oauth` is taken from `variables`. Throws Error(invalid) that names the server, the field and the fix.
ServerEntry entry_of(const model::framework::MCPServer& server, const Lookup& variables);

/// Whether what a server is given is a key: by the name that it has there, by the variable that it comes from, or by its looks. A folder or a
/// region is none, and masking it would spoil every answer that has it.
bool is_key(std::string_view name, std::string_view variable, std::string_view value);

}  // namespace cadre::mcp
