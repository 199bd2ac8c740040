// ProgramTool: a tool that is a program in a sandbox. `shell`, `python` and custom tools are such.
#pragma once

#include "tools/arguments.hpp"
#include "tools/sandbox/run_sandboxed.hpp"
#include "tools/tool.hpp"

#include <functional>
#include <string>
#include <vector>

namespace cadre::tools {

/// What programs run with. The loop outlives the tools.
struct SandboxOptions {
    net::Loop& loop;
    model::SandboxMode mode = model::SandboxMode::bubblewrap;
};

/// For the operator, at every start with `sandbox: none`.
inline constexpr std::string_view kBareWarning =
    "sandbox: none: programs that tools run can read, change and send whatever you can; only their limits hold";

struct ToolProgram {
    std::vector<std::string> argv{};
    std::string input{};
    std::vector<Readable> readable{};
};

class ProgramTool final : public Tool {
public:
    /// Throws Error for bad input: its text is the tool's answer, an error that the model can act on.
    using Plan = std::function<ToolProgram(const Call&)>;
    using Answer = std::function<Result(SandboxOutcome&)>;

    /// `answer` makes the text of a program that ended by itself with 0. Throws Error(invalid) for settings in the definition's `config`
    /// that cannot be used.
    ProgramTool(model::Tool definition, SandboxOptions options, Plan plan, Answer answer);

    const model::Tool& definition() const override { return definition_; }
    bool is_sandboxed() const override { return policy_.mode != model::SandboxMode::none; }
    Async<Result> call(Call call, ToolContext& context) override;

private:
    model::Tool definition_;
    ArgumentCheck arguments_;
    SandboxOptions options_;
    SandboxPolicy policy_;
    Plan plan_;
    Answer answer_;
};

/// A tool's `config` as a policy: `network`, `memory_mb`, `cpu_seconds`, `processes`, `file_mb`, `scratch_mb`; its `timeout`. Other settings
/// are the program's own. Throws Error(invalid) that names the tool and the setting.
SandboxPolicy policy_of(const model::Tool& tool);

/// Why a program failed, for the model: the limit that ended it, or its exit code; then what it said.
std::string failure_text(const SandboxOutcome& outcome, const SandboxLimits& limits);

}  // namespace cadre::tools
