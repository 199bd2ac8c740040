#include "config/file_kind.hpp"

#include "base/json.hpp"
#include "base/suggest.hpp"
#include "config/settings.hpp"
#include "model/channel_accounts.hpp"
#include "model/describe.hpp"
#include "model/graph.hpp"
#include "model/providers.hpp"
#include "model/team.hpp"
#include "model/test_file.hpp"
#include "model/views/conversation_config.hpp"
#include "model/views/domains.hpp"
#include "model/views/framework_retention.hpp"
#include "model/views/framework_servers.hpp"
#include "model/views/orchestration_options.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <string>

namespace cadre::config {

namespace {

struct FileName {
    std::string_view stem;
    FileKind kind;
};

constexpr FileName kFiles[] = {
    {"cadre", FileKind::project},
    {"team", FileKind::team},
    {"mcp_servers", FileKind::mcp_servers},
    {"mcp", FileKind::mcp_servers},
    {".mcp", FileKind::mcp_servers},
    {"claude_desktop_config", FileKind::mcp_servers},
    {"retention_policy", FileKind::retention},
    {"channels", FileKind::channels},
    {"accounts", FileKind::accounts},
    {"style_guide", FileKind::style_guide},
    {"domains", FileKind::domains},
    {"appsettings", FileKind::appsettings},
    {"providers", FileKind::providers},
    {"guardrails", FileKind::guardrails},
};

constexpr std::string_view kTestEnd = ".test";  // of a name without its extension

constexpr FileName kFolders[] = {
    {"teams", FileKind::team}, {"agents", FileKind::agent}, {"workflows", FileKind::workflow}};

/// A file is of that kind when it has one of these keys; the more telling kinds come first.
struct Sign {
    FileKind kind;
    std::string_view key;
};

constexpr Sign kSigns[] = {
    {FileKind::team, "default_llm"},
    {FileKind::workflow, "nodes"},
    {FileKind::workflow, "entry_point"},
    {FileKind::team, "agents"},
    {FileKind::team, "handoff_rules"},
    {FileKind::agent, "system_prompt"},
    {FileKind::agent, "prompt_template"},
    {FileKind::agent, "prompt"},
    {FileKind::agent, "llm_config"},
    {FileKind::retention, "default_days"},
    {FileKind::channels, "channels"},
    {FileKind::accounts, "accounts"},
    {FileKind::style_guide, "brand_name"},
    {FileKind::domains, "domains"},
    {FileKind::mcp_servers, "servers"},
    {FileKind::appsettings, "RouterExecutor"},
    {FileKind::appsettings, "AgentExecutorWrapper"},
    {FileKind::appsettings, "ResultAggregator"},
    {FileKind::appsettings, "OrchestrationOptions"},
    {FileKind::providers, "providers"},
    {FileKind::guardrails, "policies"},
    {FileKind::test, "cases"},
    {FileKind::mcp_servers, kDesktopBlock},  // people put it beside other things too
};

template <class T>
const model::Entity& entity()
{
    return describe(static_cast<const T*>(nullptr));
}

}  // namespace

std::string_view name_of(FileKind kind)
{
    switch (kind) {
    case FileKind::project: return "a project file";
    case FileKind::team: return "a team";
    case FileKind::agent: return "an agent";
    case FileKind::workflow: return "a workflow";
    case FileKind::mcp_servers: return "a list of MCP servers";
    case FileKind::retention: return "a retention policy";
    case FileKind::channels: return "a list of channels";
    case FileKind::accounts: return "a list of accounts that carry messages";
    case FileKind::style_guide: return "a style guide";
    case FileKind::domains: return "a list of domains";
    case FileKind::appsettings: return "an appsettings file";
    case FileKind::providers: return "a list of model providers";
    case FileKind::guardrails: return "a list of guardrails";
    case FileKind::test: return "a list of tests";
    }
    return {};
}

std::optional<std::string_view> folder_of(FileKind kind)
{
    const auto* found = std::ranges::find(kFolders, kind, &FileName::kind);
    return found == std::end(kFolders) ? std::nullopt : std::optional(found->stem);
}

std::vector<std::string> known_names()
{
    std::vector<std::string> names;
    for (const FileName& name : kFiles) names.emplace_back(name.stem);
    return names;
}

std::optional<FileKind> kind_by_name(const std::filesystem::path& file)
{
    const std::string stem = file.stem().string();
    if (stem.size() > kTestEnd.size() && stem.ends_with(kTestEnd)) return FileKind::test;  // whatever folder it is in
    if (const auto* found = std::ranges::find(kFiles, stem, &FileName::stem); found != std::end(kFiles))
        return found->kind;
    if (stem.starts_with("appsettings.")) return FileKind::appsettings;  // appsettings.Development.json
    const std::string folder = file.parent_path().filename().string();
    if (const auto* found = std::ranges::find(kFolders, folder, &FileName::stem); found != std::end(kFolders))
        return found->kind;
    return std::nullopt;
}

std::optional<FileKind> kind_by_content(const json::value& value)
{
    const auto* object = value.if_object();
    if (!object) return std::nullopt;
    for (const Sign& sign : kSigns)
        if (object->contains(sign.key)) return sign.kind;
    const std::vector<std::string> block{std::string(kDesktopBlock)};  // pasted from somewhere, and mistyped
    for (const auto& member : *object)
        if (nearest(member.key(), block)) return FileKind::mcp_servers;
    return std::nullopt;
}

const model::Entity& entity_of(FileKind kind)
{
    switch (kind) {
    case FileKind::project: break;
    case FileKind::team: return entity<model::Team>();
    case FileKind::agent: return entity<model::Agent>();
    case FileKind::workflow: return entity<model::Graph>();
    case FileKind::mcp_servers: return entity<model::framework::MCPServers>();
    case FileKind::retention: return entity<model::framework::RetentionPolicy>();
    case FileKind::channels: return entity<model::conversation::Channels>();
    case FileKind::accounts: return entity<model::ChannelAccounts>();
    case FileKind::style_guide: return entity<model::conversation::StyleGuide>();
    case FileKind::domains: return entity<model::domains::Domains>();
    case FileKind::appsettings: return entity<model::orchestration::AppSettings>();
    case FileKind::providers: return entity<model::Providers>();
    case FileKind::guardrails: return entity<model::OperatorPolicies>();
    case FileKind::test: return entity<model::TestFile>();
    }
    return entity<Settings>();
}

std::vector<const model::Entity*> file_entities()
{
    std::vector<const model::Entity*> all;
    for (const FileKind kind :
         {FileKind::project, FileKind::team, FileKind::agent, FileKind::workflow, FileKind::mcp_servers,
          FileKind::retention, FileKind::channels, FileKind::accounts, FileKind::style_guide, FileKind::domains,
          FileKind::appsettings, FileKind::providers, FileKind::guardrails, FileKind::test})
        all.push_back(&entity_of(kind));
    return all;
}

}  // namespace cadre::config
