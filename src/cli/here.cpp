#include "cli/here.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "cli/environment.hpp"

#include <unistd.h>

namespace cadre::cli {

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

home::RuntimeOptions runtime_here()
{
    home::RuntimeOptions options{.place = place_here(), .home = home_here(), .log = descriptor_sink(STDERR_FILENO)};
    try {
        options.project = project_here();
    } catch (const Error&) {
        // told by the verbs that need it
    }
    return options;
}

}  // namespace cadre::cli
