#include "config/settings.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/log.hpp"
#include "base/suggest.hpp"
#include "base/trim.hpp"
#include "config/read_into.hpp"
#include "config/scalar.hpp"
#include "model/call_pattern.hpp"
#include "model/describe.hpp"
#include "model/providers.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::config {

namespace {

using model::field;
using model::Kind;

constexpr std::string_view kPrefix = "CADRE_";
/// Variables that are ours and no settings: the name that people type, and what our own checks are told.
constexpr std::string_view kOtherVariables[] = {"CADRE_PROGRAM", "CADRE_RESULTS",    "CADRE_BIN",  "CADRE_APPROVE",
                                                "CADRE_LONG",    "CADRE_JWT_SECRET", "CADRE_TRUST"};

const model::Type& inner(const model::Type& type)
{
    return type.kind == Kind::optional ? type.item() : type;
}

void add_paths(const model::Entity& entity, const std::string& before, std::vector<std::string>& paths)
{
    for (const model::Field& field : entity.fields) {
        const std::string path = before + std::string(field.name);
        if (field.type->kind == Kind::entity) add_paths(field.type->entity(), path + ".", paths);
        else paths.push_back(path);
    }
}

const model::Type& type_at(std::string_view path, const model::Entity& entity)
{
    const std::size_t dot = path.find('.');
    const model::Type& type = *entity.find(path.substr(0, dot))->type;
    return dot == path.npos ? inner(type) : type_at(path.substr(dot + 1), type.entity());
}

void put(json::object& into, std::string_view path, json::value value)
{
    const std::size_t dot = path.find('.');
    if (dot == path.npos) {
        into[path] = std::move(value);
        return;
    }
    json::value& next = into[path.substr(0, dot)];
    if (!next.is_object()) next = json::object();
    put(next.get_object(), path.substr(dot + 1), std::move(value));
}

/// `a,b`
json::array listed(std::string_view text)
{
    json::array list;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        if (const std::string_view one = trimmed(text.substr(0, end)); !one.empty()) list.emplace_back(one);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return list;
}

/// The setting alone, as the JSON that the description reads; text is read as a number where one is wanted.
json::object alone(std::string_view path, const std::string& text)
{
    json::value value(text);
    const model::Type& type = type_at(path, describe(static_cast<const Settings*>(nullptr)));
    if (type.kind == Kind::list) value = listed(text);
    else if (type.kind != Kind::string) resolve_plain(text, value);
    json::object object;
    put(object, path, std::move(value));
    return object;
}

void merge(json::object& into, const json::object& from)
{
    for (const auto& member : from) {
        json::value& old = into[member.key()];
        if (old.is_object() && member.value().is_object()) merge(old.get_object(), member.value().get_object());
        else old = member.value();
    }
}

/// Adds the setting to `settings`, or says what is wrong with it under the name of where it came from.
void layer(json::object& settings, const Override& given, const std::string& file, const std::string& shown,
           Findings& findings)
{
    const json::object object = alone(given.path, given.text);
    Settings scratch;
    model::Problems problems;
    model::read(object, &scratch, describe(&scratch), {}, problems, {});
    for (const auto& problem : problems.list()) findings.error(file, kNowhere, shown + " " + problem.text);
    if (problems.empty()) merge(settings, object);
}

/// What may be set; `off` is for programs that have no log.
constexpr Level kLogLevels[] = {Level::debug, Level::info, Level::warning, Level::error};

/// Their names, each in quotes of the caller's choice.
std::string log_levels(std::string_view quote, std::string_view between)
{
    std::string all;
    for (const Level level : kLogLevels)
        all += fmt::format("{}{}{}{}", all.empty() ? "" : between, quote, name_of(level), quote);
    return all;
}

void check_log_level(const Settings& settings, const model::Path& path, model::Problems& problems)
{
    if (std::find(std::begin(kLogLevels), std::end(kLogLevels), find_level(settings.log_level)) == std::end(kLogLevels))
        problems.add(model::Path(path, "log_level"),
                     fmt::format("{} is none of {}", in_quotes(settings.log_level), log_levels("", ", ")));
}

void check_model(const Settings& settings, const model::Path& path, model::Problems& problems)
{
    if (settings.model && *settings.model != model::kLocal && model::split_model_name(*settings.model).model.empty())
        problems.add(model::Path(path, "model"),
                     "must be provider/model, like openai/gpt-5-mini, or script:FILE, or local");
}

void check_rules(const Settings& settings, const model::Path& path, model::Problems& problems)
{
    const model::Path at(path, "permissions");
    const std::pair<const char*, const std::vector<std::string>*> lists[] = {{"deny", &settings.permissions.deny},
                                                                             {"allow", &settings.permissions.allow},
                                                                             {"ask", &settings.permissions.ask}};
    for (const auto& [name, rules] : lists)
        for (std::size_t i = 0; i < rules->size(); ++i)
            if (const auto problem = model::pattern_problem((*rules)[i]))
                problems.add(model::Path(model::Path(at, name), i), in_quotes((*rules)[i]) + ": " + *problem);
}

void check_version(const Settings& settings, const model::Path& path, model::Problems& problems)
{
    if (!settings.version.starts_with("1."))
        problems.add(model::Path(path, "version"), "is newer than this program; update cadre, or write 1.0.0");
}

}  // namespace

const model::Entity& describe(const BudgetSettings*)
{
    static const model::Entity entity{
        .name = "budget",
        .doc = "What a task may use up before it pauses and asks.",
        .fields =
            {
                field("max_steps", &BudgetSettings::max_steps, "Steps.", {.min = 1}),
                field("max_tokens", &BudgetSettings::max_tokens, "Tokens, of all models together.", {.min = 1}),
                field("max_cost_usd", &BudgetSettings::max_cost_usd, "US dollars; null for no limit.", {.min = 0}),
                field("max_hours", &BudgetSettings::max_hours, "Hours of work; waiting for a person is free.",
                      {.min = 0}),
            },
        .home = {model::Home::Kind::yaml_file, "`cadre.yaml`, as `budget`"},
        .example = R"({"max_steps":50,"max_tokens":1000000,"max_cost_usd":2.5,"max_hours":24.0})",
    };
    return entity;
}

const model::Entity& describe(const Settings*)
{
    static const std::string kLevelsDoc = fmt::format("One of {}.", log_levels("", ", "));
    static const model::Entity entity{
        .name = "project",
        .doc = "What holds for a whole project. A setting `a.b` is also the variable CADRE_A_B.",
        .fields =
            {
                field("version", &Settings::version, "Of this file's format.", {.format = model::Format::version}),
                field("name", &Settings::name, "A label for those who read the file; nothing else uses it.",
                      {.min_length = 1}),
                field("model", &Settings::model, "provider/model, for agents that name none.", {.min_length = 3}),
                field("team", &Settings::team, "The team that works when none is named.", {.min_length = 1}),
                field("home", &Settings::home, "Where tasks and their data are kept; ~/.multi-agent when left out.",
                      {.min_length = 1}),
                field("log_level", &Settings::log_level, kLevelsDoc),
                field("budget", &Settings::budget, "What a task may use up."),
                field("sandbox", &Settings::sandbox,
                      "Sandbox for programs that tools run; `none`: no sandbox, they can do everything that you "
                      "can. `none` is only taken from CADRE_SANDBOX, not from a file."),
                field("permissions", &Settings::permissions,
                      "Which calls of tools are refused, allowed or asked about, beside what each team says: a call "
                      "that either refuses is refused."),
                field("server", &Settings::server, "How `serve` listens."),
                field("redis", &Settings::redis, "Where copies of tasks are kept for others to read."),
            },
        .home = {model::Home::Kind::yaml_file, "`cadre.yaml`"},
        .checks =
            {
                model::check<Settings>(
                    {"log_level"}, "`log_level` is one of these words.", check_log_level,
                    fmt::format(
                        R"({{"properties":{{"log_level":{{"anyOf":[{{"enum":[{}]}},{{"pattern":"\\$\\{{"}}]}}}}}})",
                        log_levels("\"", ","))),
                model::check<Settings>({"permissions"}, "Each rule is a pattern of calls.", check_rules),
                model::check<Settings>({"model"},
                                       "`model` begins with `script:`, or with the name of a provider and `/` or `:`.",
                                       check_model, R"({"properties":{"model":{"pattern":"[:/].|\\$\\{"}}})"),
                model::check<Settings>({"version"}, "`version` begins with `1.`.", check_version,
                                       R"({"properties":{"version":{"pattern":"^1\\.|\\$\\{"}}})"),
            },
        .example = R"({"version":"1.0.0","name":"support","model":"openai/gpt-5-mini","team":"support","home":null,
            "log_level":"info","budget":{"max_steps":50,"max_tokens":1000000,"max_cost_usd":2.5,"max_hours":24.0},"sandbox":"bubblewrap","permissions":{"deny":[],"allow":["write_file:path=notes/*"],"ask":[]},"server":{"listen":["127.0.0.1:8080"]},"redis":{"url":""}})",
    };
    return entity;
}

std::vector<std::string> setting_paths()
{
    std::vector<std::string> paths;
    add_paths(describe(static_cast<const Settings*>(nullptr)), "", paths);
    return paths;
}

std::string variable_of(std::string_view path)
{
    std::string name(kPrefix);
    for (const char c : path) name += c == '.' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return name;
}

void check_environment(const Environment& environment, std::span<const std::string> names, Findings& findings)
{
    read_settings(nullptr, environment, {}, findings);
    std::vector<std::string> known;
    for (const std::string& path : setting_paths()) known.push_back(variable_of(path).substr(kPrefix.size()));
    for (const std::string& name : names) {
        if (!name.starts_with(kPrefix) || std::ranges::find(kOtherVariables, name) != std::end(kOtherVariables))
            continue;
        const std::string rest = name.substr(kPrefix.size());  // what all have in common makes none of them near
        if (std::ranges::find(known, rest) != known.end()) continue;
        if (const auto near = nearest(rest, known))
            findings.warn(std::string(kEnvironment), kNowhere,
                          fmt::format("{} is not a setting, did you mean \"{}{}\"?", name, kPrefix, *near));
    }
}

Settings read_settings(const Document* document, const Environment& environment, std::span<const Override> flags,
                       Findings& findings)
{
    json::object merged;
    if (document) {
        json::value value = document->value;
        Settings from_file;
        if (read_into(value, *document, &from_file, describe(&from_file), findings)) merged = value.get_object();
    }
    const std::vector<std::string> paths = setting_paths();
    for (const std::string& path : paths)
        if (const auto text = environment(variable_of(path)))
            layer(merged, {path, *text}, std::string(kEnvironment), variable_of(path), findings);
    for (const Override& flag : flags) {
        if (std::ranges::find(paths, flag.path) != paths.end()) {
            layer(merged, flag, "flags", flag.path, findings);
            continue;
        }
        const auto near = nearest(flag.path, paths);
        findings.error("flags", kNowhere,
                       fmt::format("{} is not a setting{}", in_quotes(flag.path),
                                   near ? fmt::format(", did you mean \"{}\"?", *near) : ""));
    }
    Settings settings;
    model::Problems problems;
    model::read(merged, &settings, describe(&settings), {}, problems, {});
    return problems.empty() ? settings : Settings{};
}

}  // namespace cadre::config
