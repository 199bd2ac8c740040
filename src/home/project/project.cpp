#include "home/project/project.hpp"

#include "base/error.hpp"
#include "config/project.hpp"
#include "home/project/trust.hpp"
#include "llm/endpoint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <sys/stat.h>
#include <system_error>
#include <utility>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using config::FileKind;
using model::framework::MCPServer;

/// Of what a project or a home is made of: the files that Project reads, where they lie, and with which kinds.
std::vector<fs::path> read_from(const fs::path& folder)
{
    std::vector<fs::path> files;
    for (const fs::path& file : config::files_of(folder)) {
        const auto kind = config::kind_by_name(file);
        if (kind == FileKind::project || kind == FileKind::mcp_servers || kind == FileKind::providers ||
            kind == FileKind::accounts)
            files.push_back(file);
    }
    return files;
}

/// The document has the names of variables in place of secrets.
model::ChannelAccount with_secrets(model::ChannelAccount account, const Project& project, const std::string& file)
{
    for (std::string* secret :
         {&account.auth_token, &account.token, &account.app_secret, &account.verify_token, &account.previous_secret}) {
        if (!secret->starts_with("${") || !secret->ends_with('}')) continue;
        const std::string name = secret->substr(2, secret->size() - 3);
        const auto value = project.variable(name);
        if (!value) throw Error(Code::invalid, fmt::format("{}: the variable {} is set but empty", file, name));
        *secret = *value;
    }
    return account;
}

}  // namespace

template <class T, class Read>
Project::Part<T> Project::part(Read read)
{
    try {
        return {.value = read()};
    } catch (const Error&) {
        return {.problem = std::current_exception()};
    }
}

Project::Project(const Place& place, const fs::path& folder, std::optional<fs::path> home)
    : place_(place),
      folder_(config::project_around(fs::absolute(folder).lexically_normal())),
      variables_(place.environment, place.variables)
{
    const auto watch = [&](const fs::path& root, const std::vector<fs::path>& files) {
        // not the folder itself: it changes whenever something unrelated comes or goes in it
        for (const char* name : {"cadre.yaml", ".env", ".mcp.json", "mcp.json", "config", "agents/config"})
            watched_.push_back(root / name);
        watched_.insert(watched_.end(), files.begin(), files.end());
    };
    const std::vector<fs::path> own = read_from(folder_);
    watch(folder_, own);
    config::Findings findings;
    std::error_code error;
    const fs::path dotenv = folder_ / ".env";
    if (fs::is_regular_file(dotenv, error))
        if (const auto text = config::read_file(dotenv, shown(dotenv), findings))
            variables_.add_dotenv(shown(dotenv), *text, findings);
    const config::Document* document = nullptr;
    if (const auto file = config::find_project_file(folder_)) {
        config::add_file(contents_, {.path = *file, .root = folder_, .shown = shown(*file)}, variables_, findings);
        if (contents_.files.back()->document) document = &*contents_.files.back()->document;
    }
    const auto variable_but_model = [&](const std::string& name) {
        return name == "CADRE_MODEL" ? std::nullopt : place_.environment(name);
    };
    settings_ = config::read_settings(document, variable_but_model, {}, findings);
    findings.raise();

    home_ = home ? Part<fs::path>{.value = std::move(*home)} : part<fs::path>([&] {
        const fs::path found =
            home_folder(place_, settings_.home ? std::optional(folder_ / *settings_.home) : std::nullopt);
        if (chooses_home()) expect_own_home(*this, found);
        return found;
    });
    std::vector<fs::path> of_home;
    if (!home_.problem && home_.value != folder_) watch(home_.value, of_home = read_from(home_.value));
    marks_ = marks();
    providers_ = part<model::Providers>([&] {
        config::Findings wrong;
        config::Variables variables = variables_;
        const auto known = home_.problem ? std::nullopt : std::optional(home_.value);
        auto read = llm::read_providers(folder_, known, variables, wrong);
        wrong.raise();
        return read;
    });
    servers_ = part<std::vector<MCPServer>>([&] { return read_servers(own, of_home); });
    accounts_ = part<model::ChannelAccounts>([&] { return read_accounts(own, of_home); });
}

fs::path home_folder(const Place& place, const std::optional<fs::path>& configured)
{
    std::optional<fs::path> home = config::find_home(place.environment);
    if (configured && !place.environment("CADRE_HOME")) home = configured;
    if (!home) throw Error(Code::unavailable, "neither CADRE_HOME nor HOME is set, so there is nowhere to keep tasks");
    if (!home->is_absolute())
        throw Error(Code::invalid, "the home " + home->string() + " is not an absolute path; set CADRE_HOME to one");
    return home->lexically_normal();
}

std::vector<MCPServer> Project::read_servers(const std::vector<fs::path>& own, const std::vector<fs::path>& of_home)
{
    std::vector<MCPServer> found;
    config::Findings findings;
    for (const auto& [root, files] : {std::pair(&folder_, &own), std::pair(&home_.value, &of_home)}) {
        config::Variables variables = variables_;
        const std::size_t before = contents_.servers.size(), disabled_before = contents_.disabled_servers.size();
        for (const fs::path& file : *files)
            if (config::kind_by_name(file) == FileKind::mcp_servers)
                config::add_file(contents_, {.path = file, .root = *root, .shown = shown(file)}, variables, findings);
        const std::span disabled = std::span(contents_.disabled_servers).subspan(disabled_before);
        for (const auto& placed : std::span(contents_.servers).subspan(before)) {
            const std::string& name = placed.value.name;
            if (std::ranges::find(disabled, name) != disabled.end()) continue;
            if (std::ranges::find(found, name, &MCPServer::name) == found.end()) found.push_back(placed.value);
        }
    }
    findings.raise();
    return found;
}

model::ChannelAccounts Project::read_accounts(const std::vector<fs::path>& own, const std::vector<fs::path>& of_home)
{
    for (const auto& [root, files] : {std::pair(&folder_, &own), std::pair(&home_.value, &of_home)})
        for (const fs::path& file : *files) {
            if (config::kind_by_name(file) != FileKind::accounts) continue;
            config::Findings findings;
            config::Variables variables = variables_;
            config::add_file(contents_, {.path = file, .root = *root, .shown = shown(file)}, variables, findings);
            findings.raise();
            model::ChannelAccounts all = contents_.accounts.back().value;
            for (const auto& [name, account] : contents_.accounts.back().value.accounts)
                all.accounts[name] = with_secrets(account, *this, shown(file));
            return all;
        }
    return {};
}

std::optional<std::string> Project::variable(const std::string& name) const
{
    return config::Variables(variables_).refer(name);
}

config::Environment Project::variables() const
{
    return [variables = variables_](const std::string& name) mutable { return variables.refer(name); };
}

config::Contents Project::read(const fs::path& file) const
{
    config::Findings findings;
    config::Variables variables = variables_;
    config::Contents contents;
    config::add_file(contents, {.path = file, .root = root_of(file), .shown = shown(file)}, variables, findings);
    findings.raise();
    return contents;
}

const fs::path& Project::root_of(const fs::path& file) const
{
    const bool is_homes = !home_.problem && config::is_below(file, home_.value) && !config::is_below(file, folder_);
    return is_homes ? home_.value : folder_;
}

std::string Project::shown(const fs::path& path) const
{
    const fs::path relative = path.lexically_relative(place_.folder);
    return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

std::string Project::marks() const
{
    std::string marks;
    for (const fs::path& path : watched_) {
        struct stat facts{};
        const bool there = ::stat(path.c_str(), &facts) == 0;
        marks += there ? fmt::format("{}.{} {} ", facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, facts.st_size) : "- ";
    }
    return marks;
}

Projects::Projects(Place place, fs::path home, std::shared_ptr<const Project> first)
    : place_(std::move(place)), home_(std::move(home))
{
    if (first) opened_[first->folder()] = std::move(first);
}

std::shared_ptr<const Project> Projects::open(const fs::path& folder)
{
    std::shared_ptr<const Project>& kept = opened_[folder];
    if (kept && kept->is_current()) return kept;
    if (kept && kept->has_file() && !config::find_project_file(folder))
        throw Error(Code::invalid, fmt::format("{}: does not exist any more; put it back, or run from another project",
                                               kept->shown(kept->contents().settings.front().file->path)));
    auto fresh = std::make_shared<const Project>(place_, folder, home_);
    if (!kept || !kept->is_whole() || fresh->is_whole()) kept = fresh;
    return fresh;
}

std::shared_ptr<const Project> Projects::current(const fs::path& folder)
{
    const auto found = opened_.find(folder);
    return found != opened_.end() && found->second ? found->second : open(folder);
}

model::SandboxMode sandbox_mode(const Place& place)
{
    config::Findings findings;  // about the environment, which Project and check complain of
    return config::read_settings(nullptr, place.environment, {}, findings).sandbox;
}

}  // namespace cadre::home
