#include "tools/sandbox/code_tools.hpp"

#include "tools/builtin/builtin_tool.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::tools {

namespace {

/// The kernel takes no longer argument than 128 KiB.
constexpr std::size_t kLongestCommand = 120 << 10;

/// The code comes as input, which may be long. Its lines are remembered so that a traceback can show them, and only then is loaded what
/// that takes: it is as much as all the rest of Python's start.
constexpr const char* kRunCode = R"(import sys
source = sys.stdin.read()
sys.stdin = open('/dev/null')
def show(*problem):
    import linecache, traceback
    linecache.cache['code.py'] = (len(source), None, source.splitlines(True), 'code.py')
    traceback.print_exception(*problem)
sys.excepthook = show
exec(compile(source, 'code.py', 'exec'), {'__name__': '__main__', '__builtins__': __builtins__})
)";

Result what_it_printed(SandboxOutcome& outcome)
{
    Result result{.text = std::move(outcome.output)};
    if (!outcome.errors.empty()) result.text += "\n[standard error]\n" + outcome.errors;
    while (!result.text.empty() && result.text.back() == '\n') result.text.pop_back();
    if (result.text.empty()) result.text = "Done; the program printed nothing.";
    return result;
}

ToolProgram shell_program(const Call& call)
{
    const std::string command = find_text(call.arguments, "command").value_or("");
    if (command.size() > kLongestCommand)
        throw Error(Code::too_large,
                    fmt::format("The command has {} bytes; at most {} are allowed. Write a file and run that.",
                                command.size(), kLongestCommand));
    if (command.find('\0') != std::string::npos)
        throw Error(Code::invalid, "The command has a character of the code 0 in it.");
    return {.argv = {"/bin/sh", "-c", command}};
}

ToolProgram python_program(const Call& call)
{
    return {.argv = {"python3", "-I", "-B", "-c", kRunCode}, .input = find_text(call.arguments, "code").value_or("")};
}

constexpr const char* kPlace = " It runs locked in: without network, and the working folder, where the task's files "
                               "are, is all that it can change.";

}  // namespace

std::shared_ptr<Tool> shell_tool(SandboxOptions options)
{
    model::Tool definition{
        .name = "shell",
        .description = std::string("Runs a command with /bin/sh and gives what it prints.") + kPlace,
        .input_schema =
            object_schema({{"command", {{"type", "string"}, {"minLength", 1}, {"description", "What sh is to do."}}}}),
        .effect = model::Effect::once,
        .permission = model::Permission::ask};
    return std::make_shared<ProgramTool>(std::move(definition), options, shell_program, what_it_printed);
}

std::shared_ptr<Tool> python_tool(SandboxOptions options)
{
    model::Tool definition{
        .name = "python",
        .description =
            std::string(
                "Runs a Python 3 program and gives what it prints; only the standard library is sure to be there.") +
            kPlace,
        .input_schema = object_schema({{"code",
                                        {{"type", "string"},
                                         {"minLength", 1},
                                         {"description", "The whole program; print what you want to see."}}}}),
        .effect = model::Effect::once,
        .permission = model::Permission::ask};
    return std::make_shared<ProgramTool>(std::move(definition), options, python_program, what_it_printed);
}

}  // namespace cadre::tools
