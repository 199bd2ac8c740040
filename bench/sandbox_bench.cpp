// How long does a program in the sandbox take to start? Beside it: fork and exec, and bubblewrap alone with the same arguments, in turn,
// in the same run.
//
//     sandbox_bench [COUNT]      of each; 200 without it
#include "base/async.hpp"
#include "base/json.hpp"
#include "base/pool.hpp"
#include "base/run.hpp"
#include "machine.hpp"
#include "net/loop.hpp"
#include "samples.hpp"
#include "storage/temporary_folder.hpp"
#include "tools/sandbox/bubblewrap.hpp"
#include "tools/sandbox/code_tools.hpp"
#include "tools/sandbox/seccomp.hpp"
#include "tools/sandbox/support.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cadre;
using bench::Samples;
using bench::seconds_since;
using bench::SteadyClock;

namespace {

namespace fs = std::filesystem;

constexpr const char* kCode = "print(6 * 7)";

[[noreturn]] void fail(const std::string& why)
{
    fmt::print(stderr, "{}\n", why);
    std::exit(1);
}

/// The one that the sandbox has, which need not be the one of whoever measures.
std::string find_python()
{
    for (const char* file : {"/usr/local/bin/python3", "/usr/bin/python3", "/bin/python3"})
        if (::access(file, X_OK) == 0) return file;
    fail("there is no python3; apt-get install python3");
}

/// Started, waited for, nothing more.
void run_bare(const std::vector<std::string>& command, const std::vector<std::string>& environment)
{
    const auto pointers = [](const std::vector<std::string>& texts) {
        std::vector<char*> all;
        for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
        all.push_back(nullptr);
        return all;
    };
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    for (const int number : {0, 1, 2})
        ::posix_spawn_file_actions_addopen(&actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0);
    pid_t pid = 0;
    const int error = ::posix_spawnp(&pid, command.at(0).c_str(), &actions, nullptr, pointers(command).data(),
                                     pointers(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    int status = -1;
    if (error == 0) ::waitpid(pid, &status, 0);
    if (status != 0) fail(command.at(0) + " did not work");
}

/// What bubblewrap reads, inherited by it.
class Given {
public:
    Given()
        : numbers_{file_of(tools::seccomp_program(false)), file_of(tools::kSandboxFirst), file_of(tools::kPasswd),
                   file_of(tools::kGroup)}
    {}
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;
    ~Given()
    {
        for (const int number : numbers_) ::close(number);
    }
    tools::BubblewrapFiles files() const
    {
        return {.seccomp = numbers_[0], .first = numbers_[1], .passwd = numbers_[2], .group = numbers_[3]};
    }

private:
    static int file_of(std::string_view content)
    {
        const int file = ::memfd_create("bench", 0);
        if (::write(file, content.data(), content.size()) < 0 || ::lseek(file, 0, SEEK_SET) != 0) fail("no memory");
        return file;
    }

    std::array<int, 4> numbers_;
};

void run_bubblewrap(const tools::SandboxPolicy& policy, const std::vector<std::string>& program)
{
    const Given given;
    run_bare(tools::bubblewrap_command(policy, given.files(), program), tools::program_environment(policy));
}

class QuietContext final : public tools::ToolContext {
public:
    explicit QuietContext(Pool& pool) : pool_(pool) {}
    void progress(std::string_view) noexcept override {}
    void log(Level, std::string_view) noexcept override {}
    Pool& pool() override { return pool_; }
    Async<model::HumanAnswer> ask(model::HumanRequestType, json::object) override { throw nobody(); }
    Async<tools::Sample> sample(tools::SampleRequest) override { throw nobody(); }
    Async<tools::Result> remember(json::object) override { throw nobody(); }
    Async<tools::Result> recall(json::object) override { throw nobody(); }

private:
    static Error nobody() { return Error(Code::forbidden, "nobody is asked here"); }
    Pool& pool_;
};

struct Way {
    const char* name;
    std::function<void()> run;
    Samples times{};
    double cpu = 0;  // of this process
};

/// In turn, so that all of them see the same machine.
void compare(const char* what, std::vector<Way> ways, int count)
{
    for (Way& way : ways) way.run();
    for (int i = 0; i < count; ++i)
        for (Way& way : ways) {
            const double before = bench::cpu_seconds();
            const auto begun = SteadyClock::now();
            way.run();
            way.times.add(seconds_since(begun));
            way.cpu += bench::cpu_seconds() - before;
        }
    const double least = ways.front().times.ms(0.5);
    for (Way& way : ways)
        fmt::print("{:18} {:26} {:8.2f} {:8.2f} {:8.1f} {:12.2f}\n", what, way.name, way.times.ms(0.5),
                   way.times.ms(0.99), way.times.ms(0.5) / least, way.cpu * 1000 / count);
    std::fflush(stdout);
}

}  // namespace

int main(int words, char** word)
try {
    const int count = words > 1 ? std::atoi(word[1]) : 200;
    if (const int error = tools::user_namespace_error())
        fail("no sandbox can be made here; " + tools::user_namespace_fix(error));
    bench::require("/usr/bin/bwrap", "apt-get install bubblewrap");
    const storage::TemporaryFolder folder;
    net::Loop loop;
    ThreadPool pool(2);
    QuietContext context(pool);
    const tools::SandboxPolicy policy{.workspace = folder.path() / "artifacts",
                                      .shared = tools::shared_folder(folder.path() / "artifacts")};
    const std::vector<std::string> environment = tools::program_environment(policy);
    const std::vector<std::string> nothing{"/bin/true"}, python{find_python(), "-I", "-B", "-c", kCode};
    const auto tool = tools::python_tool({.loop = loop});
    const auto sandboxed = [&](const std::vector<std::string>& program) {
        const auto outcome = run(loop, tools::run_sandboxed(loop, pool, policy, program, ""));
        if (outcome.exit_code != 0) fail("the sandbox did not work: " + outcome.errors);
    };
    const auto called = [&] {
        tools::Call call{.id = "tc_1", .arguments = {{"code", kCode}}, .key = "key", .workspace = policy.workspace};
        const tools::Result result = run(loop, tool->call(std::move(call), context));
        if (result.text != "42") fail("python said: " + result.text);
    };

    bench::say_load();
    fmt::print("{:18} {:26} {:>8} {:>8} {:>8} {:>12}\n", "", "", "p50 ms", "p99 ms", "times", "CPU here ms");
    sandboxed(nothing);  // makes the folders
    compare("/bin/true",
            {{"fork and exec", [&] { run_bare(nothing, environment); }},
             {"bubblewrap alone", [&] { run_bubblewrap(policy, nothing); }},
             {"run_sandboxed", [&] { sandboxed(nothing); }}},
            count);
    compare("a line of Python",
            {{"fork and exec", [&] { run_bare(python, environment); }},
             {"bubblewrap alone", [&] { run_bubblewrap(policy, python); }},
             {"run_sandboxed", [&] { sandboxed(python); }},
             {"the tool python", called}},
            count);
    bench::say_load();
} catch (const Error& error) {
    fail(error.what());
}
