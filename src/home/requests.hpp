// What can be asked of whoever owns a home, and what comes back: one described struct for each request, and one for its answer. The
// control socket, `--json` answers and every further door are made of these.
#pragma once

#include "engine/commands.hpp"
#include "engine/principal.hpp"
#include "model/event.hpp"
#include "model/human.hpp"
#include "model/task.hpp"
#include "model/views/framework_retention.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::home {

using engine::Act;

// ---- answers ----

/// Nothing to say but that it was done.
struct Done {};
const model::Entity& describe(const Done*);

/// Who owns the home.
struct Owner {
    std::int64_t pid = 0;
    bool bare = false;  // programs of tools run without a sandbox there
};
const model::Entity& describe(const Owner*);

struct Created {
    Id task{};
};
const model::Entity& describe(const Created*);

/// How a task stands now that something was said to it.
struct TaskReply {
    Id task{};
    model::TaskStatus status = model::TaskStatus::pending;
    bool driven = false;  // somebody waits for it, and the owner works on it
    std::int64_t pid = 0;
    std::uint32_t events = 0;  // that it had when the request came
};
const model::Entity& describe(const TaskReply*);

struct CancelReply {
    Id task{};
    bool cancelled = false;  // false: it had ended already
    model::TaskStatus status = model::TaskStatus::pending;
};
const model::Entity& describe(const CancelReply*);

struct BreakpointList {
    Id task{};
    std::vector<std::string> breakpoints{};
};
const model::Entity& describe(const BreakpointList*);

struct TaskIds {
    std::vector<Id> tasks{};
};
const model::Entity& describe(const TaskIds*);

struct Undone {
    std::string prompt{};
};
const model::Entity& describe(const Undone*);

/// A task that the retention policy no longer keeps.
struct ExpiredTask {
    Id id{};
    std::string status{};
    std::string title{};
    Time ended_at{};
    int days = 0;  // how long it was to be kept
    std::vector<Id> below{};
    std::int64_t file_bytes = 0;
    std::int64_t journal_bytes = 0;
};
const model::Entity& describe(const ExpiredTask*);

struct FailedTask {
    Id task{};
    std::string error{};
};
const model::Entity& describe(const FailedTask*);

struct Collected {
    std::vector<ExpiredTask> tasks{};
    std::int64_t file_bytes = 0;
    std::int64_t journal_bytes = 0;
    std::vector<FailedTask> failed{};
    std::optional<std::int64_t> clock_ahead_ms{};  // by so much, that nothing was removed
};
const model::Entity& describe(const Collected*);

struct Rebuilt {
    std::vector<FailedTask> failed{};
    std::int64_t tasks = 0;
};
const model::Entity& describe(const Rebuilt*);

/// How a task that was driven came to rest.
struct AtRest {
    model::TaskStatus status = model::TaskStatus::pending;
    std::vector<std::string> left_over{};  // entries of its script that nothing asked for
};
const model::Entity& describe(const AtRest*);

struct DrivenTasks {
    std::int64_t tasks = 0;
};
const model::Entity& describe(const DrivenTasks*);

// ---- requests ----

struct Hello {
    using Answer = Owner;
    static constexpr std::string_view verb = "hello";
    static constexpr Act act = Act::read;
};
const model::Entity& describe(const Hello*);

struct Create {
    using Answer = Created;
    static constexpr std::string_view verb = "create";
    static constexpr Act act = Act::work;

    engine::CreateTask task{};
    boost::json::object endpoints{};  // from another process than the owner's: see endpoint_fingerprints()
    bool held = false;                // it begins when somebody drives it, who then hears everything
};
const model::Entity& describe(const Create*);

/// Lets a pending task begin.
struct Start {
    using Answer = TaskReply;
    static constexpr std::string_view verb = "start";
    static constexpr Act act = Act::work;

    Id task{};
};
const model::Entity& describe(const Start*);

struct AnswerQuestion {
    using Answer = TaskReply;
    static constexpr std::string_view verb = "answer";
    static constexpr Act act = Act::reply;

    Id task{};
    std::string request{};  // id of the question, or how it begins; empty: the only one
    model::HumanAnswer answer{};
    bool stay = false;  // whoever answers drives the task from then on
};
const model::Entity& describe(const AnswerQuestion*);

struct Resume {
    using Answer = TaskReply;
    static constexpr std::string_view verb = "resume";
    static constexpr Act act = Act::work;

    Id task{};
    std::optional<engine::Budget> budget{};  // the pieces that change
    int steps = 0;                           // so many more, then it pauses; 0: as it was
    bool freely = false;                     // no longer step by step
    bool held = false;                       // it continues when somebody drives it, who then hears everything
};
const model::Entity& describe(const Resume*);

struct Cancel {
    using Answer = CancelReply;
    static constexpr std::string_view verb = "cancel";
    static constexpr Act act = Act::work;

    Id task{};
    std::string reason{};
};
const model::Entity& describe(const Cancel*);

struct Pause {
    using Answer = TaskReply;
    static constexpr std::string_view verb = "pause";
    static constexpr Act act = Act::work;

    Id task{};
};
const model::Entity& describe(const Pause*);

/// Answered once what is under way of the task is done, and it cannot or may not continue by itself.
struct AwaitRest {
    using Answer = TaskReply;
    static constexpr std::string_view verb = "rest";
    static constexpr Act act = Act::read;

    Id task{};
};
const model::Entity& describe(const AwaitRest*);

struct Instruct {
    using Answer = TaskReply;
    static constexpr std::string_view verb = "instruct";
    static constexpr Act act = Act::work;

    Id task{};
    std::string text{};
};
const model::Entity& describe(const Instruct*);

/// Changes the course of a task: an instruction, another plan, another agent, another team.
struct Intervene {
    using Answer = TaskReply;
    static constexpr std::string_view verb = "intervene";
    static constexpr Act act = Act::work;

    Id task{};
    model::InterventionType type = model::InterventionType::instruction;
    std::string instruction{};
    boost::json::object details{};    // `plan`, `next_agent` or `team`
    boost::json::object endpoints{};  // with a team, from another process than the owner's: see endpoint_fingerprints()
};
const model::Entity& describe(const Intervene*);

struct ChangeBreakpoints {
    using Answer = BreakpointList;
    static constexpr std::string_view verb = "breakpoints";
    static constexpr Act act = Act::work;

    Id task{};
    bool clear = false;  // first
    std::vector<std::string> remove{};
    std::vector<std::string> add{};
};
const model::Entity& describe(const ChangeBreakpoints*);

/// Lets what is under way of the task finish and stops driving it.
struct Park {
    using Answer = Done;
    static constexpr std::string_view verb = "park";
    static constexpr Act act = Act::work;

    Id task{};
    bool at_once = false;  // a model that is answering is not waited for
};
const model::Entity& describe(const Park*);

/// The tasks that somebody waits for.
struct Driving {
    using Answer = TaskIds;
    static constexpr std::string_view verb = "driving";
    static constexpr Act act = Act::read;
};
const model::Entity& describe(const Driving*);

struct Undo {
    using Answer = Undone;
    static constexpr std::string_view verb = "undo";
    static constexpr Act act = Act::work;

    std::string session{};
};
const model::Entity& describe(const Undo*);

struct Fork {
    using Answer = engine::ForkReport;
    static constexpr std::string_view verb = "fork";
    static constexpr Act act = Act::change;

    engine::ForkTask fork{};  // of its budget, the pieces that change
};
const model::Entity& describe(const Fork*);

struct Import {
    using Answer = engine::ImportReport;
    static constexpr std::string_view verb = "import";
    static constexpr Act act = Act::change;

    std::string file{};
};
const model::Entity& describe(const Import*);

struct Collect {
    using Answer = Collected;
    static constexpr std::string_view verb = "gc";
    static constexpr Act act = Act::maintain;

    model::framework::RetentionPolicy policy{};
    bool force = false;  // whatever the clock says
};
const model::Entity& describe(const Collect*);

/// Removes a task that has ended, with all below it: journal, files, and what it noted for itself.
struct Remove {
    using Answer = Collected;
    static constexpr std::string_view verb = "remove";
    static constexpr Act act = Act::change;

    Id task{};
};
const model::Entity& describe(const Remove*);

struct Rebuild {
    using Answer = Rebuilt;
    static constexpr std::string_view verb = "rebuild";
    static constexpr Act act = Act::maintain;

    std::optional<Id> task{};  // none: all
};
const model::Entity& describe(const Rebuild*);

// ---- requests whose answer comes after what happens meanwhile (home/telling.hpp) ----

struct Drive {
    using Answer = AtRest;
    static constexpr std::string_view verb = "drive";
    static constexpr Act act = Act::work;

    Id task{};
    std::uint32_t after = 0;  // events up to this number are known
    bool stay = false;        // a question is not rest: it is told, and waited for
    bool children = false;    // words that models write in tasks below it are told, too
};
const model::Entity& describe(const Drive*);

/// What happens to a task, until it has ended, whoever drives it.
struct Watch {
    using Answer = Done;
    static constexpr std::string_view verb = "watch";
    static constexpr Act act = Act::read;

    Id task{};
    std::uint32_t after = 0;  // events up to this number are known
    bool children = false;    // words that models write in tasks below it are told, too
};
const model::Entity& describe(const Watch*);

struct DriveAll {
    using Answer = DrivenTasks;
    static constexpr std::string_view verb = "drive_all";
    static constexpr Act act = Act::work;
};
const model::Entity& describe(const DriveAll*);

}  // namespace cadre::home
