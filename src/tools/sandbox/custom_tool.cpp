#include "tools/sandbox/custom_tool.hpp"

#include "base/json.hpp"
#include "config/named_files.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <unistd.h>

namespace cadre::tools {

namespace {

namespace fs = std::filesystem;

/// Where the program's folder is inside.
constexpr const char* kInnerFolder = "/tool";

/// What it prints goes to standard error, so that standard output is the answer's alone.
constexpr const char* kRunFunction = R"(import sys, os, json, inspect, asyncio, importlib.util
path, name = sys.argv[1], sys.argv[2]
request = json.load(sys.stdin)
answer = os.fdopen(os.dup(1), 'w', encoding='utf-8')
os.dup2(2, 1)
def tell(kind, error, trace):
    import traceback
    own = [f for f in traceback.extract_tb(trace) if f.filename.startswith(os.path.dirname(path))]
    where = f' ({os.path.basename(own[-1].filename)}, line {own[-1].lineno})' if own else ''
    print(''.join(traceback.format_exception_only(kind, error)).strip() + where, file=sys.stderr)
    print(''.join(traceback.format_list(own)).rstrip(), file=sys.stderr)
sys.excepthook = tell
sys.path.insert(0, os.path.dirname(path))
spec = importlib.util.spec_from_file_location('custom_tool', path)
module = importlib.util.module_from_spec(spec)
sys.modules['custom_tool'] = module
spec.loader.exec_module(module)
function = getattr(module, name, None)
if not callable(function):
    sys.exit(f'{os.path.basename(path)} has no function {name}')
arguments = request['arguments']
if 'cadre_key' in inspect.signature(function).parameters:
    arguments = {**arguments, 'cadre_key': request['key']}
result = function(**arguments)
if inspect.isawaitable(result):
    async def whole():
        return await result
    result = asyncio.run(whole())
json.dump(result, answer, ensure_ascii=False)
answer.close()
)";

[[noreturn]] void fail(Code code, const model::Tool& tool, const std::string& what)
{
    throw Error(code, fmt::format("tool {}: {}", in_quotes(tool.name), what));
}

bool is_in(const fs::path& file, const fs::path& folder)
{
    return std::ranges::mismatch(folder, file).in1 == folder.end();
}

/// The file itself, links followed, which must be one of the project's. Asked at every call: files come and go.
fs::path file_of(const model::Tool& tool, const CustomToolHome& home)
{
    const std::string path = tool.path.value_or("");
    std::error_code error;
    const fs::path project = fs::canonical(home.project, error);
    if (error)
        fail(Code::not_found, tool,
             fmt::format("its project {} cannot be read: {}", home.project.string(), error.message()));
    const fs::path file = fs::weakly_canonical(home.named_in.parent_path() / path, error);
    if (error || !is_in(file, project))
        fail(Code::invalid, tool,
             fmt::format("path {} leads out of the project; keep the program in its folder", in_quotes(path)));
    if (!fs::is_regular_file(file, error))
        fail(Code::not_found, tool,
             fmt::format("path {}: there is no such file in {}; paths are seen from the file that names the tool",
                         in_quotes(path), home.named_in.parent_path().string()));
    return file;
}

/// What the program may read besides the system: its folder, or only itself where that is the whole project.
Readable readable_of(const fs::path& file, const CustomToolHome& home)
{
    std::error_code none;
    const std::string inner = std::string(kInnerFolder) + "/" + file.filename().string();
    if (fs::equivalent(file.parent_path(), home.project, none)) return {file, inner};
    return {file.parent_path(), kInnerFolder};
}

ToolProgram program_of(const model::Tool& tool, const CustomToolHome& home, model::SandboxMode mode, const Call& call)
{
    fs::path file;
    try {
        file = file_of(tool, home);
    } catch (const Error& error) {
        throw NotDispatched(error.code(), error.what());
    }
    ToolProgram program;
    std::string place = file.string();
    if (mode == model::SandboxMode::bubblewrap) {
        program.readable.push_back(readable_of(file, home));
        place = std::string(kInnerFolder) + "/" + file.filename().string();
    }
    if (tool.function) program.argv = {"python3", "-I", "-B", "-c", kRunFunction, place, *tool.function};
    else if (::access(file.c_str(), X_OK) == 0) program.argv = {place};
    else program.argv = {"python3", "-I", "-B", place};
    const json::object request{{"arguments", call.arguments}, {"key", call.key}, {"attempt", call.attempt}};
    program.input = to_text(json::value(request)) + "\n";
    return program;
}

Result what_it_returned(SandboxOutcome& outcome)
{
    std::optional<json::value> value;
    try {
        value = parse_json(outcome.output);
    } catch (const Error&) {  // then it is text
    }
    if (!value) {
        if (outcome.output.ends_with('\n')) outcome.output.pop_back();
        return {.text = std::move(outcome.output)};
    }
    if (const json::string* text = value->if_string()) return {.text = std::string(*text)};
    Result result{.text = to_text(*value)};
    if (value->is_object()) result.structured = std::move(*value);
    return result;
}

}  // namespace

std::shared_ptr<Tool> custom_tool(const model::Tool& definition, const CustomToolHome& home, SandboxOptions options)
{
    const fs::path file = file_of(definition, home);
    if (const std::string fault = config::program_fault(file, definition.function.has_value()); !fault.empty())
        fail(Code::invalid, definition, fmt::format("{} {}", file.filename().string(), fault));
    return std::make_shared<ProgramTool>(
        definition, options,
        [definition, home, mode = options.mode](const Call& call) { return program_of(definition, home, mode, call); },
        what_it_returned);
}

}  // namespace cadre::tools
