#include "support/error_of.hpp"
#include "support/skip.hpp"
#include "tools/sandbox/code_tools.hpp"
#include "tools/sandbox/custom_tool.hpp"
#include "tools/sandbox/test_box.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

using namespace cadre;
using namespace cadre::tools;
using cadre::test::error_of;
namespace fs = std::filesystem;

namespace {

#define NEEDS_SANDBOX()                                                                                                \
    if (const std::string why = why_no_sandbox(); !why.empty()) return test::skip(why)

/// A project with a folder of tools.
struct Project {
    explicit Project(const TestFolder& folder) : root(folder.outside() / "project")
    {
        fs::create_directories(root / "tools");
        put(root / "secret.env", "KEY=hidden");
    }
    void program(const std::string& name, std::string_view text, mode_t mode = 0700) const
    {
        put(root / name, text);
        ::chmod((root / name).c_str(), mode);
    }
    std::shared_ptr<Tool> tool(TestBox& box, const std::string& path, std::optional<std::string> function = {},
                               json::object config = {}) const
    {
        const model::Tool definition{.name = "mine",
                                     .type = model::ToolType::custom,
                                     .config = std::move(config),
                                     .path = path,
                                     .function = std::move(function)};
        return custom_tool(definition, {.project = root, .named_in = root / "team.yaml"}, {.loop = box.loop});
    }

    fs::path root;
};

}  // namespace

TEST_CASE("shell: gives what a command prints; a failure says its exit code and its errors")
{
    NEEDS_SANDBOX();
    TestBox box;
    const auto shell = shell_tool({.loop = box.loop});
    CHECK(shell->definition().permission == model::Permission::ask);
    CHECK(shell->definition().effect == model::Effect::once);
    CHECK(box.call(*shell, {{"command", "echo one; echo two >&2"}}).text == "one\n\n[standard error]\ntwo");
    CHECK(box.call(*shell, {{"command", "true"}}).text == "Done; the program printed nothing.");
    const Result failed = box.call(*shell, {{"command", "echo so far; echo broken >&2; exit 3"}});
    CHECK(failed.is_error);
    CHECK(failed.exit_code == 3);
    CHECK(failed.text == "The program ended with exit code 3.\nbroken\nso far");
    CHECK(box.call(*shell, {{"command", ""}}).is_error);
    CHECK(box.call(*shell, {{"command", std::string(130'000, 'x')}}).text.find("at most") != std::string::npos);
}

TEST_CASE("python: runs a program of any length and shows where it failed")
{
    NEEDS_SANDBOX();
    TestBox box;
    const auto python = python_tool({.loop = box.loop});
    CHECK(box.call(*python, {{"code", "print(6 * 7, input.__name__)"}}).text == "42 input");
    CHECK(box.call(*python, {{"code", "#" + std::string(200'000, 'x') + "\nprint('ü')"}}).text == "ü");
    const Result failed = box.call(*python, {{"code", "x = 1\nboom(x)"}});
    CHECK(failed.is_error);
    CHECK(failed.text.find("File \"code.py\", line 2") != std::string::npos);
    CHECK(failed.text.find("    boom(x)") != std::string::npos);
    CHECK(failed.text.find("NameError") != std::string::npos);
}

TEST_CASE("a program's files are listed, and what it used is recorded")
{
    NEEDS_SANDBOX();
    TestBox box;
    const auto shell = shell_tool({.loop = box.loop});
    const Result result = box.call(*shell, {{"command", "mkdir -p out; echo 1 > out/a.csv; echo 2 > b.txt"}});
    CHECK(result.artifacts == std::vector<std::string>{"b.txt", "out/a.csv"});
    CHECK(result.exit_code == 0);
    REQUIRE(result.usage.has_value());
    CHECK(result.usage->peak_memory > 100'000);
    CHECK(result.usage->cpu_ms >= 0);
}

TEST_CASE("custom tool: a program reads its call as JSON and answers with JSON or text")
{
    NEEDS_SANDBOX();
    TestBox box;
    const Project project(box.folder);
    project.program("tools/echo.sh", "#!/bin/sh\ncat\n");
    const Result echo = box.call(*project.tool(box, "tools/echo.sh"), {{"n", 1}}, "k1");
    CHECK(echo.text == R"({"arguments":{"n":1},"key":"k1","attempt":1})");
    REQUIRE(echo.structured.has_value());
    CHECK(echo.structured->at("key") == "k1");

    project.program("tools/words.py", "import json, sys\nprint('not', 'JSON', json.load(sys.stdin)['attempt'])\n",
                    0600);
    CHECK(box.call(*project.tool(box, "tools/words.py"), {}).text == "not JSON 1");
    project.program("tools/text.sh", "#!/bin/sh\necho '\"just text\"'\n");
    CHECK(box.call(*project.tool(box, "tools/text.sh"), {}).text == "just text");

    project.program("tools/fails.sh", "#!/bin/sh\necho 'no such customer' >&2\nexit 4\n");
    const Result failed = box.call(*project.tool(box, "tools/fails.sh"), {});
    CHECK(failed.is_error);
    CHECK(failed.exit_code == 4);
    CHECK(failed.text.find("no such customer") != std::string::npos);
}

TEST_CASE("custom tool: a Python function gets the arguments by name; what it prints is not its answer")
{
    NEEDS_SANDBOX();
    TestBox box;
    const Project project(box.folder);
    project.program("tools/side.py", "FACTOR = 2\n", 0600);
    project.program("tools/sums.py",
                    "import side\n"
                    "def add(a, b=1):\n    print('thinking')\n    return {'sum': (a + b) * side.FACTOR}\n"
                    "async def later(a): return a\n"
                    "def keyed(a, cadre_key): return cadre_key\n",
                    0600);
    const Result sum = box.call(*project.tool(box, "tools/sums.py", "add"), {{"a", 2}, {"b", 3}});
    CHECK(sum.text == R"({"sum":10})");
    CHECK(box.call(*project.tool(box, "tools/sums.py", "later"), {{"a", "x"}}).text == "x");
    CHECK(box.call(*project.tool(box, "tools/sums.py", "keyed"), {{"a", 1}}, "k7").text == "k7");
    CHECK(box.call(*project.tool(box, "tools/sums.py", "none"), {}).text.find("sums.py has no function none") !=
          std::string::npos);
    CHECK(box.call(*project.tool(box, "tools/sums.py", "add"), {{"c", 1}}).text.find("unexpected keyword argument") !=
          std::string::npos);
}

TEST_CASE("custom tool: it sees its own folder and nothing else of the project")
{
    NEEDS_SANDBOX();
    TestBox box;
    const Project project(box.folder);
    project.program("tools/look.sh", "#!/bin/sh\nls /tool; cat /tool/../secret.env; cat " +
                                         (project.root / "secret.env").string() + "; echo x > /tool/new\n");
    const Result result = box.call(*project.tool(box, "tools/look.sh"), {});
    CHECK(result.text.find("hidden") == std::string::npos);
    CHECK(result.text.find("Read-only file system") != std::string::npos);
    project.program("alone.sh", "#!/bin/sh\nls /tool\n");
    CHECK(box.call(*project.tool(box, "alone.sh"), {}).text == "alone.sh");
}

TEST_CASE("custom tool: a file that is missing, outside, or no program is refused by name")
{
    TestBox box;
    const Project project(box.folder);
    project.program("tools/plain.txt", "text", 0600);
    put(box.folder.outside() / "evil.sh", "#!/bin/sh\n");
    fs::create_symlink(box.folder.outside() / "evil.sh", project.root / "tools" / "link.sh");
    const auto error = [&](const std::string& path, std::optional<std::string> function = {}) {
        return error_of([&] { project.tool(box, path, function); });
    };
    CHECK(error("tools/none.sh") ==
          doctest::Contains("not_found: tool \"mine\": path \"tools/none.sh\": there is no such file"));
    CHECK(error("../evil.sh") == doctest::Contains("leads out of the project"));
    CHECK(error("/bin/sh") == doctest::Contains("leads out of the project"));
    CHECK(error("tools/link.sh") == doctest::Contains("leads out of the project"));
    CHECK(error("tools/plain.txt") == doctest::Contains("plain.txt is not executable; chmod +x it"));
    CHECK(error("tools/plain.txt", "f") == doctest::Contains("plain.txt is not a Python file, which `function` needs"));
}

TEST_CASE("a tool's limits are its settings, and a bad one is named")
{
    const auto policy = [](json::object config) {
        return policy_of({.name = "t", .config = std::move(config), .timeout = 7});
    };
    CHECK_FALSE(policy({}).network);
    CHECK(policy({}).limits.time == Millis(7000));
    CHECK(policy({{"network", true}, {"memory_mb", 100}, {"other", "x"}}).network);
    CHECK(policy({{"memory_mb", 100}}).limits.memory == 100 << 20);
    CHECK(error_of([&] { policy({{"network", "yes"}}); }) ==
          "invalid: tool \"t\": config.network must be true or false");
    CHECK(error_of([&] { policy({{"processes", -1}}); }) ==
          doctest::Contains("config.processes must be a whole number from 1 to 10000"));
    CHECK(error_of([&] { policy({{"memory_mb", 1.5}}); }) == doctest::Contains("config.memory_mb must be"));

    NEEDS_SANDBOX();
    TestBox box;
    const Project project(box.folder);
    project.program("tools/big.py", "x = bytearray(200 << 20)\n", 0600);
    CHECK(box.call(*project.tool(box, "tools/big.py", {}, {{"memory_mb", 100}}), {}).text.find("MemoryError") !=
          std::string::npos);
    CHECK_FALSE(box.call(*project.tool(box, "tools/big.py", {}, {{"memory_mb", 400}}), {}).is_error);
}

TEST_CASE("attack 25: every program knows the idempotency key of its call")
{
    NEEDS_SANDBOX();
    TestBox box;
    const auto shell = shell_tool({.loop = box.loop});
    CHECK(box.call(*shell, {{"command", "echo $CADRE_IDEMPOTENCY_KEY"}}, "k-17").text == "k-17");
    const auto python = python_tool({.loop = box.loop});
    CHECK(box.call(*python, {{"code", "import os; print(os.environ['CADRE_IDEMPOTENCY_KEY'])"}}, "k-18").text ==
          "k-18");
}

TEST_CASE("attack 34: a program has one core, and cannot take another")
{
    NEEDS_SANDBOX();
    TestBox box;
    const auto python = python_tool({.loop = box.loop});
    const Result result = box.call(*python, {{"code", "import os\n"
                                                      "print(len(os.sched_getaffinity(0)))\n"
                                                      "try: os.sched_setaffinity(0, range(64))\n"
                                                      "except OSError: pass\n"
                                                      "print(len(os.sched_getaffinity(0)))"}});
    CHECK(result.text == "1\n1");
}

TEST_CASE("attack 11: a file full of holes counts as large as it says it is")
{
    NEEDS_SANDBOX();
    TestBox box;
    box.policy.limits.folder_size = 64 << 20;
    const SandboxOutcome outcome = box.sh("for i in 1 2 3; do truncate -s 30M hole$i; done");
    CHECK(outcome.stopped == SandboxStop::folder);
    CHECK(!fs::exists(box.folder.workspace() / "hole1"));
}
