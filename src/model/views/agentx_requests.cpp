#include "model/views/agentx_requests.hpp"

#include "model/describe.hpp"
#include "model/read.hpp"

namespace cadre::model::agentx {

namespace {

void check_prompt(const CreateTask& request, const Path& path, Problems& problems)
{
    if (request.description && request.initial_prompt && *request.description != *request.initial_prompt)
        problems.add(Path(path, "initial_prompt"), "is another name for description; give one of the two");
}

constexpr std::string_view kNobody = "timeout is what happens when nobody answers";

/// A plan file obeys the rules of the plan that it is.
void check_plan_file(const PlanFile& file, const Path& path, Problems& problems)
{
    const Plan plan = from_plan_file(file, "plan");
    validate(&plan, describe(&plan), path, problems);
}

}  // namespace

const Entity& describe(const CreateTask*)
{
    static const Entity entity{
        .name = "create_task",
        .doc = "Asks for a new task; it waits until it is started.",
        .fields = {field("description", &CreateTask::description, "What is to be done.", {.min_length = 1}),
                   field("initial_prompt", &CreateTask::initial_prompt, "The same, under its other name.",
                         {.min_length = 1}),
                   field("team", &CreateTask::team, "The team that does it.", {.min_length = 1}),
                   field("workflow", &CreateTask::workflow, "The workflow that it follows.", {.min_length = 1}),
                   field("agent", &CreateTask::agent, "The agent that does it, or begins.", {.min_length = 1}),
                   field("execution_mode", &CreateTask::execution_mode, "How it is run; null: as the team says."),
                   field("kind", &CreateTask::kind, "For choosing how long it is kept, like critical or debug.",
                         {.min_length = 1}),
                   field("retention_days", &CreateTask::retention_days, "Days that its trace is kept; null: by kind.",
                         {.min = 0}),
                   field("metadata", &CreateTask::metadata, "Anything else.")},
        .home = {Home::Kind::message, "the body of `POST /tasks`"},
        .demands = {{.when = {!given("initial_prompt")},
                     .then = given("description"),
                     .says = "is required; or say it as initial_prompt"}},
        .checks = {check<CreateTask>({"description", "initial_prompt"},
                                     "`initial_prompt` is another name for `description`: beside it, it says the same.",
                                     check_prompt)},
        .example = R"({"description":"Write a report on tides.","initial_prompt":null,"team":"writers","workflow":null,
"agent":null,"execution_mode":"step","kind":"debug","retention_days":3,"metadata":{"ticket":7}})"};
    return entity;
}

const std::string& description_of(const CreateTask& request)
{
    return request.description ? *request.description : request.initial_prompt.value();
}

const Entity& describe(const Respond*)
{
    static const Entity entity{
        .name = "respond",
        .doc = "A person's answer to a request.",
        .fields = {field("response_type", &Respond::response_type, "The answer."),
                   field("action", &Respond::action, "The same, under its other name."),
                   field("message", &Respond::message, "Why, in words."),
                   field("response_data", &Respond::response_data, "What is to be changed."),
                   field("state_updates", &Respond::state_updates, "The same, under its other name.")},
        .home = {Home::Kind::message, "the body of `POST /tasks/{task_id}/hitl/{request_id}/respond`"},
        .demands = {{.when = {!given("action")},
                     .then = given("response_type"),
                     .says = "is required; or say it as action"},
                    {.when = {given("response_type")},
                     .then = !given("action"),
                     .says = "is another name for response_type; give one of the two"},
                    {.then = !is("response_type", {"timeout"}), .says = kNobody},
                    {.then = !is("action", {"timeout"}), .says = kNobody},
                    {.when = {filled("response_data")},
                     .then = !filled("state_updates"),
                     .says = "is another name for response_data; give one of the two"}},
        .example =
            R"({"response_type":"approve","action":null,"message":"Go ahead.","response_data":{},"state_updates":{}})"};
    return entity;
}

HumanAnswer answer_of(const Respond& response)
{
    return {.verb = response.response_type ? *response.response_type : response.action.value(),
            .message = response.message,
            .updates = response.state_updates.empty() ? response.response_data : response.state_updates};
}

const Entity& describe(const Intervene*)
{
    static const Entity entity{
        .name = "intervene",
        .doc = "Changes the course of a running task.",
        .fields = {field("intervention_type", &Intervene::intervention_type, "What is changed."),
                   field("instruction", &Intervene::instruction, "What the agents are told.", {.min_length = 1}),
                   field("details", &Intervene::details, "The change, where it is not an instruction.")},
        .home = {Home::Kind::message, "the body of `POST /tasks/{task_id}/intervene`"},
        .demands = {{.when = {is("intervention_type", {"instruction"})},
                     .then = given("instruction"),
                     .says = "is required"},
                    {.when = {!is("intervention_type", {"instruction"})},
                     .then = filled("details"),
                     .says = "must say what changes"}},
        .example = R"({"intervention_type":"instruction","instruction":"Be brief.","details":{}})"};
    return entity;
}

const Entity& describe(const PlanFile*)
{
    static const Entity entity{
        .name = "plan_file",
        .doc = "What a task means to do.",
        .fields = {field("goal", &PlanFile::goal, "What it is all for.", {.required = true}),
                   field("tasks", &PlanFile::tasks, "What to do, in order.", {.required = true})},
        .home = {Home::Kind::data, "`plan.json` in the folder of a task; also `GET` and `POST /tasks/{task_id}/plan`"},
        .checks = {check<PlanFile>({"goal", "tasks"}, "The tasks make a [plan](plan.md), and obey its rules.",
                                   check_plan_file)},
        .example = R"({"goal":"an article on tides","tasks":[{"id":"research","agent":"reader","action":"search",
"parameters":{},"depends_on":[],"status":"completed"},{"id":"draft","agent":"writer","action":"write",
"parameters":{"words":300},"depends_on":["research"],"status":"pending"}]})"};
    return entity;
}

PlanFile to_plan_file(const Plan& plan)
{
    return {.goal = plan.goal, .tasks = plan.items};
}

Plan from_plan_file(const PlanFile& file, std::string id)
{
    return {.id = std::move(id), .goal = file.goal, .items = file.tasks};
}

}  // namespace cadre::model::agentx
