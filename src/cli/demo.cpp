#include "cli/demo.hpp"

#include "base/async.hpp"
#include "base/crash_at.hpp"
#include "base/error.hpp"
#include "base/id.hpp"
#include "base/run.hpp"
#include "base/timeout.hpp"
#include "cli/answer_verbs.hpp"
#include "cli/args.hpp"
#include "cli/demo_story.hpp"
#include "cli/environment.hpp"
#include "cli/exit_codes.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/run.hpp"
#include "cli/run_verb.hpp"
#include "cli/shell_word.hpp"
#include "cli/task_text.hpp"
#include "cli/terminal.hpp"
#include "cli/trace_verb.hpp"
#include "cli/verb.hpp"
#include "cli/write_file.hpp"
#include "home/runtime.hpp"
#include "net/loop.hpp"
#include "storage/temporary_folder.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

/// How long a person has for the question before the demo answers it.
constexpr Millis kForThePerson{4000};
constexpr Millis kDemoLookEvery{100};
constexpr Millis kForReading{1500};
constexpr const char* kDemoFile = "picnic.yaml";

/// The process dies when the writer's file is written and the journal does not say so yet: the ninth outcome since the
/// beginning, the fourth since the person's answer.
constexpr std::string_view kCrash = "after_dispatch:9";
constexpr std::string_view kCrashAfterAnswer = "after_dispatch:4";

volatile std::sig_atomic_t interrupted = 0;

void note_signal(int number)
{
    interrupted = number;
}

/// While one lives, Ctrl-C is for the processes that the demo has started; it only waits for them and cleans up.
class SignalsNoted {
public:
    SignalsNoted()
    {
        struct sigaction wanted = {};
        wanted.sa_handler = note_signal;
        for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &wanted, &before_[i]);
    }
    SignalsNoted(const SignalsNoted&) = delete;
    SignalsNoted& operator=(const SignalsNoted&) = delete;
    ~SignalsNoted() { restore(); }

    void restore() const
    {
        for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
    }

private:
    static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, kSignals.size()> before_{};
};

// ---- what the demo's processes do ----

int run_team(Output& output)
{
    Args args;
    args.add("file", std::string(kDemoFile));
    args.add("prompt", std::string(kDemoPrompt));
    return run_task(args, output);
}

/// The only task of its home, once it waits.
Async<Id> until_it_waits(ReadOnlyHome& onlooker)
{
    while (true) {
        const auto entries = co_await onlooker.store().tasks({.limit = 1});
        if (!entries.empty() && entries.front().status == "waiting") co_return entries.front().task;
        co_await sleep_for(kDemoLookEvery);
    }
}

/// For a person who is not there. If somebody was quicker, the answer is refused, and that is fine.
int answer_in_time(Output& output)
{
    Id task{};
    for (bool waited = false; !waited;) {
        try {
            ReadOnlyHome onlooker;
            task = onlooker.run(until_it_waits(onlooker));
            waited = true;
        } catch (const Error&) {
            // the journal is being made
        }
        ::usleep(static_cast<useconds_t>(std::chrono::microseconds(waited ? kForThePerson : kDemoLookEvery).count()));
    }
    Args args;
    args.add("task", to_string(task));
    args.add("text", std::string(kDemoAnswer));
    args.add("no-wait", "");
    return answer(args, output);
}

int answer_now(const Id& task, Output& output)
{
    Args args;
    args.add("task", to_string(task));
    args.add("text", std::string(kDemoAnswer));
    return answer(args, output);
}

int resume_it(const Id& task, Output& output)
{
    Args args;
    args.add("task", to_string(task));
    return resume(args, output);
}

int trace_it(const Id& task, Output& output)
{
    Args args;
    args.add("task", to_string(task));
    return trace(args, output);
}

// ---- the demo's own process ----

class Demo {
public:
    explicit Demo(Output& output) : output_(output)
    {
        output_.hints = false;  // nothing is left to read on in
        write_file(folder_.path() / kDemoFile, demo_team());
        write_file(folder_.path() / "cadre.yaml", demo_project());
        write_file(folder_.path() / "script.yaml", demo_script());
    }

    int run()
    {
        say(Tone::bold,
            "Cadre in a few seconds. This is a demo: the words of the two agents come from a script. The rest is "
            "real: the team's file, the commands, the journal, the crash, the answer.");
        typed(fmt::format("cat {}", kDemoFile));
        output_.print(demo_team());
        leave_time_to_read();
        typed(fmt::format("cadre run {} {}", kDemoFile, shell_word(kDemoPrompt)));
        const Child answerer = start([this] { return answer_in_time(output_); }, "", true);
        int exit = finish(start([this] { return run_team(output_); }, kCrash, false));
        task_ = only_task();
        bool crashed = false;
        for (int i = 0; i < 4 && exit != 0 && !interrupted; ++i) {
            if (exit == -SIGKILL && !crashed) {
                crashed = true;
                if (on_terminal_) output_.print("\n");  // the one that was killed left a line open
                say(Tone::red,
                    "\nThat process was just killed with SIGKILL, right after it had written the file and before it "
                    "could note that. Another process resumes from the journal:");
                leave_time_to_read();
                typed("cadre resume " + short_id(task_));
                exit = finish(start([this] { return resume_it(task_, output_); }, "", false));
            } else if (exit == kWaitingExit) {
                say(Tone::yellow, "\nNo person answers here, so the demo does:");
                typed(fmt::format("cadre answer {} {}", short_id(task_), kDemoAnswer));
                exit = finish(
                    start([this] { return answer_now(task_, output_); }, crashed ? "" : kCrashAfterAnswer, false));
            } else {
                break;
            }
        }
        stop(answerer);
        if (interrupted) {
            output_.complain("\nthe demo was stopped, and its files are removed\n");
            return 128 + interrupted;
        }
        if (exit != 0) throw Error(Code::internal, "the demo failed");
        end(crashed);
        return 0;
    }

private:
    using Child = pid_t;

    fs::path home() const { return folder_.path() / "home"; }

    /// What the first command has made. Read on this thread: the demo is to have no other.
    Id only_task() const
    {
        const auto store = home::find_journal(home());
        if (!store) return {};
        net::Loop loop;
        const auto entries = cadre::run(loop, store->tasks({.limit = 1}));
        return entries.empty() ? Id{} : entries.front().task;
    }

    /// A process of its own: this one has no threads, so it may go on in a copy of itself.
    Child start(const std::function<int()>& work, std::string_view crash, bool silent)
    {
        const Child child = ::fork();
        if (child == -1)
            throw Error(Code::unavailable, "cannot start a process: " + std::generic_category().message(errno));
        if (child != 0) return child;
        signals_.restore();
        set_environment("CADRE_HOME", home().string());
        set_environment("CADRE_MODEL", "");  // the script speaks, whatever is set
        fs::current_path(folder_.path());
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // should the demo itself be killed
        if (silent) {
            const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
            for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, descriptor);
            ::setpgid(0, 0);  // Ctrl-C and the terminal are not for it
        }
        int exit = surface(Code::internal).exit;
        try {
            if (!crash.empty()) crash_at(crash);
            exit = work();
        } catch (const Error& error) {
            exit = report(output_, error);
        } catch (...) {
            output_.complain("the demo failed\n");
        }
        std::_Exit(exit);
    }

    /// Its exit code, or the negative number of the signal that ended it.
    static int finish(Child child)
    {
        int status = 0;
        while (::waitpid(child, &status, 0) == -1)
            if (errno != EINTR) return -SIGABRT;
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }

    static void stop(Child child)
    {
        ::kill(child, SIGKILL);
        finish(child);
    }

    void say(Tone tone, std::string_view text) const
    {
        std::string lines = wrapped(text);
        lines.pop_back();
        output_.print(output_.out.paint(tone, lines) + "\n");
    }

    /// Ends early when a signal comes.
    void leave_time_to_read() const
    {
        if (on_terminal_) ::usleep(static_cast<useconds_t>(std::chrono::microseconds(kForReading).count()));
    }

    void typed(const std::string& command) const
    {
        output_.print("\n" + output_.out.paint(Tone::bold, "$ " + command) + "\n");
    }

    void end(bool crashed)
    {
        typed("cadre trace " + short_id(task_));
        finish(start([this] { return trace_it(task_, output_); }, "", false));
        if (crashed)
            output_.print(
                "\n" + wrapped("Nothing that was done was done again, except for the one call whose end was not "
                               "recorded: writing a file twice does no harm. A call that must not be made twice would "
                               "not have been: the task would have asked."));
        output_.print("\n" + output_.out.paint(Tone::bold, "That was a script, and its files are gone. To try next:") +
                      "\n");
        const Row rows[] = {{as_typed("cadre init hello"), "A small project: a team, an agent, a workflow"},
                            {as_typed("cadre help run"), "How to run an agent of your own"},
                            {as_typed("cadre doctor"), "Is this machine ready?"}};
        output_.print(table(rows));
    }

    Output& output_;
    bool on_terminal_ = terminal_at(STDOUT_FILENO).redraws;
    SignalsNoted signals_;
    storage::TemporaryFolder folder_{"cadre-demo"};
    Id task_{};
};

}  // namespace

int demo(const Args&, Output& output)
{
    if (output.json) throw Error(Code::invalid, "the demo is for people: it has no --json");
    return Demo(output).run();
}

}  // namespace cadre::cli
