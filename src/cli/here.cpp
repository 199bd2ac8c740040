#include "cli/here.hpp"

#include "base/error.hpp"
#include "base/log_file.hpp"
#include "cli/environment.hpp"

#include <algorithm>
#include <cctype>
#include <unistd.h>

namespace cadre::cli {
namespace {

/// LOG_LEVEL is every program's: what it says in their words is understood, and what is not is left alone.
std::optional<Level> common_level(std::string word)
{
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (word == "trace") return Level::debug;
    if (word == "warn") return Level::warning;
    if (word == "critical" || word == "fatal") return Level::error;
    return find_level(word);
}

Level log_level_here()
{
    const auto common = environment("LOG_LEVEL");
    if (common && !environment("CADRE_LOG_LEVEL"))
        if (const auto level = common_level(*common)) return *level;
    try {
        return find_level(project_here()->settings().log_level).value_or(Level::info);
    } catch (const Error&) {
        return Level::info;  // what is wrong with the project is told by the verbs that need it
    }
}

std::shared_ptr<LogSink> log_sink_here()
{
    return routed_sink(
        {{descriptor_sink(STDERR_FILENO), Level::error}, {file_sink(log_file_here()), log_level_here()}});
}

}  // namespace

home::Place place_here()
{
    return {.folder = std::filesystem::current_path(), .environment = environment, .variables = environment_names()};
}

std::shared_ptr<const home::Project> project_here()
{
    static const auto project = [] {
        const home::Place place = place_here();
        return std::make_shared<const home::Project>(place, place.folder);
    }();
    return project;
}

std::filesystem::path home_here()
{
    std::shared_ptr<const home::Project> project;
    try {
        project = project_here();
    } catch (const Error&) {
        return home::home_folder(place_here(), std::nullopt);
    }
    return project->home();
}

std::filesystem::path log_file_here()
{
    return home_here() / "logs" / "cadre.log";
}

Log log_here()
{
    return {log_sink_here(), std::min(log_level_here(), Level::error)};
}

home::RuntimeOptions runtime_here()
{
    home::RuntimeOptions options{.place = place_here(),
                                 .home = home_here(),
                                 .log = log_sink_here(),
                                 .log_level = std::min(log_level_here(), Level::error)};
    try {
        options.project = project_here();
    } catch (const Error&) {
        // told by the verbs that need it
    }
    return options;
}

}  // namespace cadre::cli
