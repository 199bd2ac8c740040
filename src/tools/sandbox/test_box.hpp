// For tests: programs in a sandbox, and what they leave behind.
#pragma once

#include "base/async.hpp"
#include "base/pool.hpp"
#include "base/run.hpp"
#include "net/loop.hpp"
#include "tools/builtin/tool_call_fixture.hpp"
#include "tools/sandbox/run_sandboxed.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <cstdlib>

namespace cadre::tools {

/// Why no sandbox can be tested here; empty: it can.
inline std::string why_no_sandbox()
{
    if (std::system("command -v bwrap >/dev/null") != 0) return "bubblewrap is not installed";
    if (std::system("bwrap --unshare-user --ro-bind / / true 2>/dev/null") != 0)
        return "bubblewrap cannot make user namespaces here";
    return {};
}

/// How many processes see the folder mounted: those in a sandbox of its.
inline int survivors(const std::filesystem::path& folder)
{
    int count = 0;
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
        std::ifstream file(entry.path() / "mountinfo");
        const std::string text(std::istreambuf_iterator<char>(file), {});
        if (text.find(folder.parent_path().filename().string() + "/") != std::string::npos) ++count;
    }
    return count;
}

class TestBox {
public:
    TestBox() : pool(2), context(pool)
    {
        policy.workspace = folder.workspace();
        policy.limits.time = Millis(20'000);
    }

    SandboxOutcome run(std::vector<std::string> program, std::string input = "")
    {
        return cadre::run(loop, run_sandboxed(loop, pool, policy, std::move(program), std::move(input)));
    }
    SandboxOutcome python(std::string code) { return run({"python3", "-I", "-c", std::move(code)}); }
    SandboxOutcome sh(std::string code) { return run({"sh", "-c", std::move(code)}); }

    Result call(Tool& tool, json::object arguments, std::string key = "key")
    {
        Call request{
            .id = "tc_1", .arguments = std::move(arguments), .key = std::move(key), .workspace = folder.workspace()};
        return cadre::run(loop, tool.call(std::move(request), context));
    }

    net::Loop loop;
    ThreadPool pool;
    TestFolder folder;
    TestContext context;
    SandboxPolicy policy;
};

}  // namespace cadre::tools
