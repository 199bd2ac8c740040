#include "tools/sandbox/program_tool.hpp"

#include "base/async.hpp"
#include "base/json.hpp"
#include "tools/sandbox/folder_scan.hpp"
#include "tools/sandbox/program_places.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <csignal>
#include <iterator>

namespace cadre::tools {

namespace {

struct Setting {
    std::string_view name;
    std::uint64_t SandboxLimits::* limit;
    std::uint64_t unit;
    std::uint64_t most;
};

constexpr Setting kLimitSettings[] = {{"memory_mb", &SandboxLimits::memory, 1 << 20, 1 << 20},
                                      {"cpu_seconds", &SandboxLimits::cpu, 1, 1 << 20},
                                      {"processes", &SandboxLimits::processes, 1, 10'000},
                                      {"file_mb", &SandboxLimits::file_size, 1 << 20, 1 << 20},
                                      {"scratch_mb", &SandboxLimits::scratch, 1 << 20, 1 << 16}};

[[noreturn]] void bad_setting(const model::Tool& tool, std::string_view name, const std::string& rule)
{
    throw Error(Code::invalid, fmt::format("tool {}: config.{} {}", in_quotes(tool.name), name, rule));
}

std::string megabytes(std::uint64_t bytes)
{
    return fmt::format("{} MiB", bytes >> 20);
}

std::string stop_text(SandboxStop stop, const SandboxLimits& limits)
{
    switch (stop) {
    case SandboxStop::time: return fmt::format("it ran longer than {}", to_text(limits.time));
    case SandboxStop::memory:
        return fmt::format("its processes took more than {} of memory together", megabytes(limits.memory));
    case SandboxStop::processes: return fmt::format("it started more than {} processes", limits.processes);
    case SandboxStop::folder:
        return fmt::format(
            "it left more than {} or {} files in its folders, or folders in folders deeper than {}; what was "
            "new has been removed",
            megabytes(limits.folder_size), limits.folder_files, kMostFolderDepth);
    }
    return {};
}

/// What a shell says with an exit code above 128.
std::string signal_text(int number, const SandboxLimits& limits)
{
    switch (number) {
    case SIGXCPU: return fmt::format("it used more than {} s of CPU time", limits.cpu);
    case SIGXFSZ: return fmt::format("it wrote a file of more than {}", megabytes(limits.file_size));
    case SIGKILL: return "it was killed";
    case SIGSEGV: return "it crashed (segmentation fault)";
    case SIGABRT: return "it aborted";
    default: return fmt::format("signal {} ended it", number);
    }
}

std::string reason(const SandboxOutcome& outcome, const SandboxLimits& limits)
{
    if (outcome.stopped) return "The program was stopped: " + stop_text(*outcome.stopped, limits) + ".";
    if (outcome.exit_code > 128)
        return fmt::format("The program ended with exit code {}: {}.", outcome.exit_code,
                           signal_text(outcome.exit_code - 128, limits));
    return fmt::format("The program ended with exit code {}.", outcome.exit_code);
}

Result result_of(SandboxOutcome outcome, const SandboxLimits& limits, const ProgramTool::Answer& answer)
{
    const bool failed = outcome.stopped || outcome.exit_code != 0;
    Result result = failed ? Result{.text = failure_text(outcome, limits), .is_error = true} : answer(outcome);
    result.artifacts = std::move(outcome.changed);
    result.exit_code = outcome.exit_code;
    result.usage = outcome.usage;
    return result;
}

}  // namespace

ProgramTool::ProgramTool(model::Tool definition, SandboxOptions options, Plan plan, Answer answer)
    : definition_(std::move(definition)),
      arguments_(definition_),
      options_(options),
      policy_(policy_of(definition_)),
      plan_(std::move(plan)),
      answer_(std::move(answer))
{
    policy_.mode = options.mode;
}

Async<Result> ProgramTool::call(Call call, ToolContext& context)
{
    // checked again, because a fallback tool gets the arguments of another
    if (auto problem = arguments_.problem(call.arguments))
        co_return Result{.text = std::move(*problem), .is_error = true};
    ToolProgram program;
    try {
        program = plan_(call);
    } catch (const NotDispatched&) {
        throw;
    } catch (const Error& error) {
        co_return Result{.text = error.what(), .is_error = true};
    }
    SandboxPolicy policy = policy_;
    policy.workspace = call.workspace;
    policy.shared = shared_folder(call.workspace);
    policy.readable = std::move(program.readable);
    policy.key = call.key;
    ProgramPlaces& places = program_places();
    if (places.is_full())
        context.progress(fmt::format("waits: {} programs are running, as many as may at once", places.most()));
    const ProgramPlaces::Place place = co_await places.enter();
    auto running = run_sandboxed(options_.loop, context.pool(), std::move(policy), std::move(program.argv),
                                 std::move(program.input));
    SandboxOutcome outcome = co_await std::move(running);
    co_return result_of(std::move(outcome), policy_.limits, answer_);
}

SandboxPolicy policy_of(const model::Tool& tool)
{
    SandboxPolicy policy;
    policy.limits.time = std::chrono::seconds(tool.timeout.value_or(model::kToolTimeout));
    if (const json::value* network = tool.config.if_contains("network")) {
        if (!network->is_bool()) bad_setting(tool, "network", "must be true or false");
        policy.network = network->get_bool();
    }
    for (const Setting& setting : kLimitSettings) {
        const json::value* value = tool.config.if_contains(setting.name);
        if (!value) continue;
        boost::system::error_code inexact;
        const std::uint64_t number = value->is_number() ? value->to_number<std::uint64_t>(inexact) : 0;
        if (inexact || number < 1 || number > setting.most)
            bad_setting(tool, setting.name, fmt::format("must be a whole number from 1 to {}", setting.most));
        policy.limits.*setting.limit = number * setting.unit;
    }
    return policy;
}

std::string failure_text(const SandboxOutcome& outcome, const SandboxLimits& limits)
{
    std::string text = reason(outcome, limits);
    for (const std::string* said : {&outcome.errors, &outcome.output}) {
        const std::size_t end = said->find_last_not_of(" \r\n\t");
        if (end != std::string::npos) text += "\n" + said->substr(0, end + 1);
    }
    return text;
}

}  // namespace cadre::tools
