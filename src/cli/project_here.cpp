#include "cli/project_here.hpp"

#include "base/error.hpp"
#include "cli/environment.hpp"
#include "config/project.hpp"

#include <system_error>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> variable_but_model(const std::string& name)
{
    return name == "CADRE_MODEL" ? std::nullopt : environment(name);
}

std::string shown(const fs::path& path)
{
    std::error_code error;
    const fs::path relative = path.lexically_relative(fs::current_path(error));
    return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

}  // namespace

ProjectHere::ProjectHere(const fs::path& folder)
    : folder_(config::find_project(folder)), variables_(environment, environment_names())
{
    std::error_code error;
    const fs::path dotenv = folder_ / ".env";
    if (fs::is_regular_file(dotenv, error))
        if (const auto text = config::read_file(dotenv, shown(dotenv), findings_))
            variables_.add_dotenv(shown(dotenv), *text, findings_);
    const config::Document* document = nullptr;
    if (const auto file = config::find_project_file(folder_)) {
        add(*file);
        if (contents_.files.back().document) document = &*contents_.files.back().document;
    }
    settings_ = config::read_settings(document, variable_but_model, {}, findings_);
    findings_.raise();
}

const config::Contents& ProjectHere::read(const fs::path& file)
{
    add(file);
    findings_.raise();
    return contents_;
}

void ProjectHere::add(const fs::path& file)
{
    config::add_file(contents_, {.path = file, .root = folder_, .shown = shown(file)}, variables_, findings_);
}

model::SandboxMode sandbox_here()
{
    config::Findings findings;  // about the environment, which ProjectHere and check complain of
    return config::read_settings(nullptr, environment, {}, findings).sandbox;
}

fs::path task_home()
{
    std::optional<fs::path> home = config::find_home(environment);
    if (!environment("CADRE_HOME")) {
        try {
            const ProjectHere project{fs::current_path()};
            if (project.settings().home) home = project.folder() / *project.settings().home;
        } catch (const Error&) {
            // a project that cannot be read is no reason not to show its tasks
        }
    }
    if (!home) throw Error(Code::unavailable, "neither CADRE_HOME nor HOME is set: there is no place for tasks");
    if (!home->is_absolute())
        throw Error(Code::invalid, "the home " + home->string() + " is not an absolute path; set CADRE_HOME to one");
    return home->lexically_normal();
}

}  // namespace cadre::cli
