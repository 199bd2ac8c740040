#include "cli/exit_codes.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

namespace cadre::cli {
namespace {

std::string_view meaning(Code code)
{
    switch (code) {
    case Code::malformed: return "what was given cannot be read";
    case Code::invalid: return "it can be read, and breaks a rule: a wrong flag, a wrong field";
    case Code::too_large: return "it is larger than a limit allows";
    case Code::unauthorized: return "no valid credentials";
    case Code::forbidden: return "valid credentials that do not allow this";
    case Code::not_found: return "there is no such thing";
    case Code::conflict: return "not possible now: already done, already running, already there";
    case Code::limit: return "a bound of the run was reached: steps, iterations, budget";
    case Code::rate_limited: return "too many requests; try again later";
    case Code::timeout: return "it took too long";
    case Code::upstream: return "a model, a tool or another agent failed";
    case Code::unavailable: return "this machine cannot do it now: disk, output, a failed check of doctor";
    case Code::cancelled: return "it was cancelled";
    case Code::internal: break;
    }
    return "a bug in Cadre; cadre logs has more under the id that was printed";
}

}  // namespace

std::vector<ExitCode> exit_codes()
{
    std::vector<ExitCode> codes{{.number = 0, .meaning = "done"}};
    for (int i = 0; i <= static_cast<int>(Code::internal); ++i) {
        const auto code = static_cast<Code>(i);
        codes.push_back({surface(code).exit, name_of(code), meaning(code)});
    }
    codes.push_back({kWaitingExit, "waiting", "the task waits for a person; the command that answers was printed"});
    codes.push_back({kPausedExit, "paused", "the task is paused; the command that resumes it was printed"});
    codes.push_back({kInterruptedExit, "interrupted", "Ctrl-C: the task is stopped and can be resumed"});
    codes.push_back(
        {128 + SIGTERM, "interrupted", "SIGTERM: as after Ctrl-C, and within ten seconds whatever is running"});
    codes.push_back({128 + SIGHUP, "interrupted", "SIGHUP, the terminal was closed: as after Ctrl-C"});
    std::ranges::sort(codes, {}, [](const ExitCode& code) { return std::pair(code.number, code.code); });
    return codes;
}

}  // namespace cadre::cli
