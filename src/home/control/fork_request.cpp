#include "home/control/fork_request.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "home/control/control.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

namespace cadre::home {
namespace {

using engine::ForkPoint;

constexpr std::pair<ForkPoint::By, std::string_view> kPoints[] = {{ForkPoint::By::record, "at_record"},
                                                                  {ForkPoint::By::event, "at_event"},
                                                                  {ForkPoint::By::checkpoint, "at_checkpoint"}};

std::optional<std::string> find_text(const boost::json::object& args, std::string_view name)
{
    if (!args.contains(name)) return std::nullopt;
    return text_of(args, name);
}

}  // namespace

boost::json::object to_args(const engine::ForkTask& fork)
{
    boost::json::object args;
    if (fork.id) args["id"] = to_string(*fork.id);
    args["from"] = to_string(fork.from);
    for (const auto& [by, name] : kPoints)
        if (fork.at && fork.at->by == by) args[name] = fork.at->number;
    if (fork.description) args["description"] = *fork.description;
    if (fork.model) args["model"] = *fork.model;
    args["agent"] = fork.agent;
    if (fork.prompt) args["prompt"] = *fork.prompt;
    boost::json::array settings;
    for (const auto& [path, value] : fork.settings) settings.push_back({path, value});
    args["settings"] = std::move(settings);
    if (fork.budget) args["budget"] = parse_json(model::to_json_text(*fork.budget));
    args["created_by"] = fork.created_by;
    return args;
}

engine::ForkTask fork_task_from(const boost::json::object& args)
{
    engine::ForkTask fork{.id = id_from(text_of(args, "id")),
                          .from = id_from(text_of(args, "from")),
                          .description = find_text(args, "description"),
                          .model = find_text(args, "model"),
                          .agent = text_of(args, "agent"),
                          .prompt = find_text(args, "prompt"),
                          .created_by = text_of(args, "created_by")};
    for (const auto& [by, name] : kPoints)
        if (const auto* number = args.if_contains(name)) fork.at = ForkPoint{by, number->to_number<std::uint32_t>()};
    if (const auto* settings = args.if_contains("settings"))
        for (const auto& setting : settings->as_array())
            fork.settings.emplace_back(setting.at(0).as_string(), setting.at(1).as_string());
    return fork;
}

std::string to_json(const engine::ForkReport& report)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("task", to_string(report.task)).field("from", to_string(report.from));
    json.field("reused", std::uint64_t{report.reused}).field("model_calls", std::uint64_t{report.model_calls});
    json.key("live").begin_array();
    for (const std::string& path : report.live) json.value(path);
    json.end_array().field("events", report.events).end_object();
    return text;
}

engine::ForkReport fork_report_from(const boost::json::object& json)
{
    engine::ForkReport report{.task = id_from(text_of(json, "task")),
                              .from = id_from(text_of(json, "from")),
                              .reused = json.at("reused").to_number<std::size_t>(),
                              .model_calls = json.at("model_calls").to_number<std::size_t>(),
                              .events = json.at("events").to_number<std::uint32_t>()};
    for (const auto& path : json.at("live").as_array()) report.live.emplace_back(path.as_string());
    return report;
}

}  // namespace cadre::home
