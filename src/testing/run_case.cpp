#include "testing/run_case.hpp"

#include "base/async.hpp"
#include "base/async_scope.hpp"
#include "base/cancel.hpp"
#include "base/error.hpp"
#include "base/race.hpp"
#include "base/random.hpp"
#include "base/signal.hpp"
#include "base/timeout.hpp"
#include "config/project.hpp"
#include "engine/agent.hpp"
#include "engine/numbered_event.hpp"
#include "home/home_link.hpp"
#include "home/telling.hpp"
#include "model/artifact_files.hpp"
#include "model/event.hpp"
#include "model/wire_name.hpp"
#include "storage/files.hpp"
#include "storage/temporary_folder.hpp"
#include "testing/case_script.hpp"
#include "testing/family.hpp"
#include "testing/final_state.hpp"
#include "testing/people.hpp"
#include "testing/stand_in.hpp"
#include "testing/text_diff.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <system_error>
#include <thread>

namespace cadre::testing {
namespace {

namespace fs = std::filesystem;
using model::TestAnswer;
using model::TestCase;

constexpr std::size_t kMostAtOnce = 8;
constexpr std::size_t kMaxFiles = 1000;  // that are named when one is missing
constexpr std::size_t kMaxFile = 4 << 20;
/// How long a task that is cancelled may take to stop.
constexpr Millis kForStopping{10'000};

/// Keeps count of what was told; it is read from the journal later.
class Counter final : public home::Listener {
public:
    Async<> hear(home::Told told) override
    {
        if (const auto* event = std::get_if<engine::EventPtr>(&told)) {
            seen = (*event)->number;
            grown_.notify();
        }
        co_return;
    }
    Async<> until(std::uint32_t number)
    {
        while (seen < number) co_await grown_.wait();
    }

    std::uint32_t seen = 0;

private:
    Signal grown_;
};

/// After which events the process is restarted, the first of them first.
std::deque<std::uint32_t> restarts_of(const TestCase& test)
{
    std::deque<std::uint32_t> after;
    for (const model::TestFault& fault : test.faults)
        for (int i = 1; fault.restart && i <= fault.times; ++i)
            after.push_back(static_cast<std::uint32_t>(*fault.restart) * static_cast<std::uint32_t>(i));
    std::ranges::sort(after);
    return after;
}

/// In tests only what plays a model is asked, unless a case names a real one.
void expect_script(const model::LlmConfig& config)
{
    if (home::is_script(config.provider) || home::is_local(config.provider)) return;
    throw Error(Code::forbidden, fmt::format("{} is not asked in a test; give the case a `script`, or name the model "
                                             "as its `model`",
                                             engine::model_spec(config)));
}

/// What tools and people wrote there; not what Cadre keeps beside it.
std::vector<std::string> files_in(const fs::path& folder)
{
    std::vector<std::string> files;
    std::error_code error;
    fs::recursive_directory_iterator it(folder, error);
    for (const fs::recursive_directory_iterator end; !error && it != end && files.size() < kMaxFiles;
         it.increment(error)) {
        std::string name = it->path().lexically_relative(folder).string();
        if (it->is_regular_file(error) && !model::lies_in_ours(name)) files.push_back(std::move(name));
    }
    std::ranges::sort(files);
    return files;
}

/// Nothing when it is not there, is no file or is too large.
std::optional<std::string> text_in(const fs::path& file)
{
    config::Findings findings;
    return config::read_file(file, file.string(), findings, kMaxFile);
}

class CaseRun {
public:
    CaseRun(net::Loop& loop, const Suite& suite, std::size_t index, const CaseOptions& options)
        : suite_(suite),
          test_(suite.tests.cases[index]),
          folder_("cadre-test"),
          place_(place_in(options.place, folder_.path() / "home")),
          plan_(std::make_shared<ToolPlan>(test_)),
          answers_(test_.answers),
          restarts_(restarts_of(test_)),
          make_link_([this, &loop, options] {
              return std::make_unique<home::HomeLink>(
                  loop, engine::local_user("tester"), runtime(options),
                  home::HomeLinkHooks{.warn = options.warn, .journal_failed = options.journal_failed});
          }),
          link_(make_link_())
    {
        if (options.keep) folder_.keep();
        if (const auto script = script_of(suite, test_, index)) {
            const fs::path file = folder_.path() / "script.json";
            storage::write_private_file(file, script->text);
            model_ = "script:" + file.string();
            script_ = {file.string(), script->shown};
        } else {
            model_ = model_of(suite, test_);
        }
    }

    Async<> run(CaseResult& result)
    {
        co_await finally(attempt(result), leave());
        result.home = folder_.path() / "home";
    }

private:
    home::RuntimeOptions runtime(const CaseOptions& options) const
    {
        home::RuntimeOptions out{.place = place_, .home = folder_.path() / "home", .log = options.log};
        out.stand_in = [plan = plan_](std::shared_ptr<tools::Tool> tool) { return with_plan(std::move(tool), plan); };
        if (!test_.model) out.expect_model = expect_script;
        return out;
    }

    Async<> leave() { co_await link_->leave(); }

    Async<> attempt(CaseResult& result)
    {
        home::PreparedTask work = prepare_case(suite_, test_, place_, model_);
        task_ = new_id(system_random());
        work.task.id = task_;
        setup_ = work.task.setup;
        home::Create create{.task = std::move(work.task)};
        co_await link_->call(std::move(create));
        result.task = to_string(task_);
        const Millis limit(std::llround(test_.timeout * 1000));
        std::string problem;
        try {
            co_await with_timeout(drive(), limit, "it");
        } catch (const Error& error) {
            if (error.code() != Code::timeout) throw;
            problem = fmt::format("did not end within {}", cadre::to_text(limit));
        }
        if (problem.empty()) {
            result.differences = differences(test_.expect, co_await observe());
            co_return;
        }
        result.differences.push_back({"timeout", std::move(problem)});
        co_await stop();
    }

    Async<> drive()
    {
        while (true) {
            std::optional<home::AtRest> rest;
            {
                Race race(co_await this_context());
                race.add(until_rest(rest));
                race.add(counter_.until(restarts_.empty() ? UINT32_MAX : restarts_.front()));
                co_await race.over();
            }
            if (!rest) {
                restarts_.pop_front();
                co_await leave();
                link_ = make_link_();
                continue;
            }
            left_over_ = std::move(rest->left_over);
            if (rest->status != model::TaskStatus::waiting || !co_await answer()) co_return;
        }
    }

    Async<> until_rest(std::optional<home::AtRest>& rest)
    {
        rest = co_await link_->drive({.task = task_}, counter_, counter_.seen);
    }

    /// False when nobody has an answer to any of the questions.
    Async<bool> answer()
    {
        const auto state = co_await link_->task(task_);
        for (const engine::OpenQuestion& open : state->questions) {
            const auto found = std::ranges::find_if(
                answers_, [&](const TestAnswer& answer) { return is_asked_for(answer, open.request); });
            if (found == answers_.end()) continue;
            home::AnswerQuestion request{
                .task = task_, .request = open.request.id, .answer = human_answer(*found), .stay = true};
            answers_.erase(found);
            co_await link_->call(std::move(request));
            co_return true;
        }
        co_return false;
    }

    Async<> stop()
    {
        home::Cancel cancel{.task = task_, .reason = "the test ran out of time"};
        co_await link_->call(std::move(cancel));
        try {
            co_await with_timeout(rest(), kForStopping, "it");
        } catch (const Error&) {
            // its home is left all the same
        }
    }

    Async<> rest() { co_await link_->call(home::AwaitRest{task_}); }

    Async<Outcome> observe()
    {
        const auto state = co_await link_->task(task_);
        Outcome outcome = outcome_of(*state);
        outcome.error = with_shown_script(outcome.error);
        const auto records = co_await link_->queries().records(link_->who(), task_);
        if (!test_.expect.state.empty()) outcome.state = final_state(setup_, test_.inputs, records);
        outcome.calls = calls_in((co_await family_of(link_->queries().store(), records)).trace);
        for (const engine::EventPtr& event : co_await link_->queries().events(link_->who(), task_))
            outcome.events.emplace_back(model::type_of(event->event).substr(kEventPrefix.size()));
        for (const engine::OpenQuestion& open : state->questions)
            outcome.open_questions.push_back(words_of(open.request));
        const fs::path files = home::artifacts_folder(link_->home(), task_);
        outcome.written = files_in(files);
        for (const auto& [path, match] : test_.expect.files) outcome.files[path] = text_in(files / path);
        for (const TestAnswer& answer : answers_) outcome.unused_answers.push_back(answer_text(answer));
        for (const std::string& line : left_over_) outcome.left_over.push_back(with_shown_script(line));
        outcome.left_faults = plan_->left_over();
        for (const std::uint32_t after : restarts_)
            outcome.left_faults.push_back(fmt::format("a restart after event {}", after));
        co_return outcome;
    }

    /// What is said of the file that was made for it is said of where its entries come from.
    std::string with_shown_script(std::string text) const
    {
        const auto& [file, shown] = script_;
        for (std::size_t at = 0; !file.empty() && (at = text.find(file, at)) != text.npos; at += shown.size())
            text.replace(at, file.size(), shown);
        return text;
    }

    const Suite& suite_;
    const TestCase& test_;
    storage::TemporaryFolder folder_;
    home::Place place_;
    std::shared_ptr<ToolPlan> plan_;
    std::vector<TestAnswer> answers_;               // that were not given yet
    std::optional<std::string> model_;              // nothing: as configured
    std::pair<std::string, std::string> script_{};  // its file, and where people find it
    Id task_{};
    std::string setup_;  // of a workflow
    Counter counter_;
    std::vector<std::string> left_over_;
    std::deque<std::uint32_t> restarts_;  // that did not happen yet
    std::function<std::unique_ptr<home::HomeLink>()> make_link_;
    std::unique_ptr<home::HomeLink> link_;
};

/// Hands results on in their order.
struct Progress {
    std::vector<ChosenCase> cases;
    std::function<void(const CaseResult&)> tell;
    std::vector<std::optional<CaseResult>> results{};
    std::size_t next = 0, told = 0;

    void ended(std::size_t i, CaseResult result)
    {
        results[i] = std::move(result);
        for (; told < results.size() && results[told]; ++told) tell(*results[told]);
    }
};

Async<> work_off(net::Loop& loop, Progress& progress, const CaseOptions& options)
{
    while (progress.next < progress.cases.size()) {
        const std::size_t i = progress.next++;
        const ChosenCase& chosen = progress.cases[i];
        progress.ended(i, co_await run_case(loop, *chosen.suite, chosen.index, options));
    }
}

}  // namespace

Async<CaseResult> run_case(net::Loop& loop, const Suite& suite, std::size_t index, const CaseOptions& options)
{
    CaseResult result{.suite = suite.name(),
                      .file = suite.file->shown,
                      .at = suite.place_of(index),
                      .name = suite.tests.cases[index].name};
    const Instant begin = loop.now();
    std::string problem;
    try {
        CaseRun run(loop, suite, index, options);
        co_await run.run(result);
    } catch (const Error& error) {
        problem = error.what();
    }
    if (!problem.empty()) result.differences.push_back({"run", std::move(problem)});
    if (!options.keep) result.home.reset();
    result.took = std::chrono::duration_cast<Millis>(loop.now() - begin);
    co_return result;
}

Async<> run_cases(net::Loop& loop, std::vector<ChosenCase> cases, const CaseOptions& options,
                  std::function<void(const CaseResult&)> tell)
{
    Progress progress{.cases = std::move(cases), .tell = std::move(tell)};
    progress.results.resize(progress.cases.size());
    const std::size_t workers = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, kMostAtOnce);
    AsyncScope scope(co_await this_context());
    for (std::size_t i = 0; i < std::min(workers, progress.cases.size()); ++i)
        scope.spawn(work_off(loop, progress, options));
    co_await finished(scope);
}

}  // namespace cadre::testing
