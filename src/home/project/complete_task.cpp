#include "home/project/complete_task.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "engine/agent.hpp"
#include "home/models.hpp"
#include "home/project/project.hpp"
#include "home/project/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace cadre::home {
namespace {

constexpr double kMillisPerHour = 3'600'000;

engine::Budget budget_of(const config::BudgetSettings& settings, const model::ExecutionConfig& execution)
{
    constexpr auto kMostSteps = std::int64_t{std::numeric_limits<int>::max()};
    engine::Budget budget{.tokens = settings.max_tokens,
                          .cost = settings.max_cost_usd,
                          .steps = static_cast<int>(std::min(settings.max_steps, kMostSteps)),
                          .wall_ms = std::llround(std::min(settings.max_hours, 1e9) * kMillisPerHour)};
    if (execution.max_steps) budget.steps = execution.max_steps;
    if (execution.timeout) budget.wall_ms = std::int64_t{*execution.timeout} * 1000;
    return budget;
}

/// Whoever bounds the tokens of a model without a price need not bound its dollars, though the settings do.
void expect_price(const Project& project, engine::CreateTask& task, const std::optional<engine::Budget>& given,
                  const model::LlmConfig& configured)
{
    const std::string problem =
        price_problem(project, task.model.empty() ? configured : engine::llm_from_spec(task.model));
    if (problem.empty()) return;
    if (!given || given->cost || !given->tokens) throw Error(Code::invalid, problem);
    task.budget.cost.reset();
}

model::ExecutionMode mode_of(const std::string& name)
{
    if (name == "autonomous") return model::ExecutionMode::autonomous;
    if (name == "step") return model::ExecutionMode::step;
    if (name == "hitl") return model::ExecutionMode::hitl;
    throw Error(Code::invalid, fmt::format("--mode is autonomous, step or hitl, not {}", in_quotes(name)));
}

/// A bare name is an agent of the team, or else a tool.
std::vector<std::string> breakpoints_of(const model::Team& team)
{
    std::vector<std::string> all = team.execution_config.breakpoints;
    for (std::string& name : all)
        if (name.find(':') == name.npos)
            name.insert(0, std::ranges::count(team.agents, name, &model::Agent::name) > 0 ? "agent:" : "tool:");
    return all;
}

int days_in(const std::string& text)
{
    int days = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), days);
    if (error != std::errc{} || end != text.data() + text.size() || days < 0)
        throw Error(Code::invalid, fmt::format("--retention-days is a number of days, not {}", in_quotes(text)));
    return days;
}

}  // namespace

engine::Budget merged(engine::Budget budget, const engine::Budget& over)
{
    if (over.tokens) budget.tokens = over.tokens;
    if (over.cost) budget.cost = over.cost;
    if (over.steps) budget.steps = over.steps;
    if (over.wall_ms) budget.wall_ms = over.wall_ms;
    if (over.depth) budget.depth = over.depth;
    return budget;
}

engine::CreateTask another_turn(const Project& here, const RunRequest& wanted)
{
    engine::CreateTask task{.description = wanted.prompt, .kind = wanted.kind.value_or("")};
    if (wanted.model) {
        task.model = whole_spec(*wanted.model, here.place().folder);
        expect_model(here, engine::llm_from_spec(task.model));
    }
    if (wanted.mode) task.mode = mode_of(*wanted.mode);
    if (wanted.budget) task.budget = engine::budget_from(*wanted.budget);
    if (wanted.retention_days) task.retention_days = days_in(*wanted.retention_days);
    return task;
}

std::string model_that_wins(const RunRequest& wanted, const Project& project)
{
    const Place& place = project.place();
    const std::string wins = wanted.model ? *wanted.model : place.environment("CADRE_MODEL").value_or("");
    return wins.empty() ? "" : whole_spec(wins, place.folder);
}

/// Behind the team's own: of each list the first rule that fits counts, and all that fit say the same.
void add_rules(model::Permissions& rules, const model::Permissions& permissions)
{
    rules.deny.insert(rules.deny.end(), permissions.deny.begin(), permissions.deny.end());
    rules.allow.insert(rules.allow.end(), permissions.allow.begin(), permissions.allow.end());
    rules.ask.insert(rules.ask.end(), permissions.ask.begin(), permissions.ask.end());
}

void complete_task(engine::CreateTask& task, const Project& project, const RunRequest& wanted, model::Team&& team,
                   const std::vector<const model::LlmConfig*>& models)
{
    const std::optional<engine::Budget> over =
        wanted.budget ? std::optional(engine::budget_from(*wanted.budget)) : std::nullopt;
    task.project = project.folder().string();
    task.model = model_that_wins(wanted, project);
    task.kind = wanted.kind.value_or("");
    if (wanted.retention_days) task.retention_days = days_in(*wanted.retention_days);
    task.mode = wanted.mode ? mode_of(*wanted.mode) : team.execution_config.mode;
    task.budget = budget_of(project.settings().budget, team.execution_config);
    if (over) task.budget = merged(task.budget, *over);
    for (const model::LlmConfig* one : models)
        if (task.budget.cost) expect_price(project, task, over, *one);
    task.description = wanted.prompt;
    task.breakpoints = breakpoints_of(team);
    task.team = std::move(team);  // last: the models may be its own
}

}  // namespace cadre::home
