// cadre.yaml: what holds for a whole project. Each setting comes from the file, then from the environment, then from flags;
// the later one wins. `budget.max_steps` is CADRE_BUDGET_MAX_STEPS in the environment and `budget.max_steps=9` as a flag.
#pragma once

#include "config/document.hpp"
#include "config/redis_settings.hpp"
#include "config/server_settings.hpp"
#include "config/variables.hpp"
#include "model/permissions.hpp"
#include "model/sandbox_mode.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::config {

/// What a task may use up before it pauses and asks.
struct BudgetSettings {
    std::int64_t max_steps = 50;
    std::int64_t max_tokens = 1'000'000;
    std::optional<double> max_cost_usd{};
    double max_hours = 24;

    bool operator==(const BudgetSettings&) const = default;
};

struct Settings {
    std::string version = "1.0.0";
    std::optional<std::string> name{};   // null: the folder's
    std::optional<std::string> model{};  // provider/model
    std::optional<std::string> team{};   // that `run` takes when none is named
    std::optional<std::string> home{};   // null: ~/.multi-agent
    std::string log_level = "info";
    BudgetSettings budget{};
    model::SandboxMode sandbox = model::SandboxMode::bubblewrap;
    model::Permissions permissions{};  // beside those of each team
    ServerSettings server{};
    RedisSettings redis{};

    bool operator==(const Settings&) const = default;
};

const model::Entity& describe(const BudgetSettings*);
const model::Entity& describe(const Settings*);

/// One setting given on the command line.
struct Override {
    std::string path;  // budget.max_steps
    std::string text;
};

/// Every setting's path, in the order of the description.
std::vector<std::string> setting_paths();
/// The variable that sets it: CADRE_BUDGET_MAX_STEPS.
std::string variable_of(std::string_view path);

/// What findings about variables name in place of a file.
inline constexpr std::string_view kEnvironment = "environment";

/// Settings in the environment: their values, and `names` (of all variables that are set) that are nearly one.
void check_environment(const Environment& environment, std::span<const std::string> names, Findings& findings);

/// `document` is the project file, null when there is none, with its references replaced. Problems of a variable or flag are
/// findings too, in a file of the name `environment` or `flags`.
Settings read_settings(const Document* document, const Environment& environment, std::span<const Override> flags,
                       Findings& findings);

}  // namespace cadre::config
