#include "home/control/create_request.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "home/control/control.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

namespace cadre::home {
namespace {

constexpr JsonLimits kLimits{.bytes = kLongestLine, .depth = 128, .nodes = 1'000'000};

template <class T>
boost::json::value json_of(const T& entity)
{
    return parse_json(model::to_json_text(entity), kLimits);
}

template <class T>
T read(const boost::json::object& args, std::string_view name)
{
    const auto* value = args.if_contains(name);
    if (!value) throw Error(Code::invalid, std::string(name) + " is missing");
    return model::from_json<T>(*value, {.ignore_unknown = true});
}

}  // namespace

boost::json::object to_args(const engine::CreateTask& task)
{
    boost::json::object args;
    if (task.id) args["id"] = to_string(*task.id);
    if (!task.team.agents.empty()) args["team"] = json_of(task.team);
    args["agent"] = task.agent;
    args["description"] = task.description;
    args["model"] = task.model;
    args["pattern"] = task.pattern;
    args["mode"] = json_of(task.mode);
    args["budget"] = json_of(task.budget);
    args["created_by"] = task.created_by;
    args["kind"] = task.kind;
    args["project"] = task.project;
    if (task.retention_days) args["retention_days"] = *task.retention_days;
    args["breakpoints"] = json_of(task.breakpoints);
    if (!task.session.empty()) args["session"] = task.session;
    return args;
}

engine::CreateTask create_task_from(const boost::json::object& args)
{
    const auto* days = args.if_contains("retention_days");
    return {.id = id_from(text_of(args, "id")),
            .team = args.contains("team") ? read<model::Team>(args, "team") : model::Team{},
            .agent = text_of(args, "agent"),
            .description = text_of(args, "description"),
            .model = text_of(args, "model"),
            .pattern = text_of(args, "pattern"),
            .mode = read<model::ExecutionMode>(args, "mode"),
            .budget = read<engine::Budget>(args, "budget"),
            .created_by = text_of(args, "created_by"),
            .kind = args.contains("kind") ? text_of(args, "kind") : "",
            .project = args.contains("project") ? text_of(args, "project") : "",
            .retention_days = days ? std::optional(days->to_number<int>()) : std::nullopt,
            .breakpoints = read<std::vector<std::string>>(args, "breakpoints"),
            .session = args.contains("session") ? text_of(args, "session") : ""};
}

}  // namespace cadre::home
