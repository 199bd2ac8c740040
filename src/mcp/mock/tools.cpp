#include "mcp/mock/tools.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "mcp/members.hpp"
#include "mcp/mock/builtin.hpp"
#include "schema/schema.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::mcp::mock {

namespace {

constexpr std::size_t kShown = 200;

bool matches(const Condition& when, const json::object& arguments, const std::string& text, std::int64_t nth)
{
    if (when.nth && *when.nth != nth) return false;
    if (when.contains && text.find(*when.contains) == std::string::npos) return false;
    return std::ranges::all_of(when.arguments, [&](const auto& wanted) {
        const json::value* given = arguments.if_contains(wanted.key());
        return given && *given == wanted.value();
    });
}

std::optional<std::int64_t> limit_of(const Answer& answer)
{
    const std::int64_t* count = answer.times.if_int64();
    return count ? std::optional(*count) : std::nullopt;
}

Outcome outcome_of(const Answer& answer)
{
    Outcome out{.delay = Millis(answer.delay_ms),
                .stall = answer.stall,
                .duplicate = answer.duplicate,
                .wrong_id = answer.wrong_id,
                .noise = answer.noise};
    if (answer.crash) out.exit = 1;
    if (answer.text) out.answer = text_result(*answer.text);
    if (answer.error) out.answer = text_result(*answer.error, true);
    if (answer.fail) out.answer = RpcError{.code = answer.fail->code, .message = answer.fail->message};
    if (answer.json) {
        json::object result = text_result(cadre::to_text(*answer.json));
        // before the modern era it must be an object, and clients that insist on it would refuse the whole answer
        if (answer.json->is_object()) result["structuredContent"] = *answer.json;
        out.answer = std::move(result);
    }
    return out;
}

json::object listed_form(const ScriptTool& tool)
{
    json::object listed{{"name", tool.name}, {"description", tool.description}};
    listed["inputSchema"] = tool.input_schema.empty() ? json::object{{"type", "object"}} : tool.input_schema;
    if (!tool.annotations.empty()) listed["annotations"] = tool.annotations;
    return listed;
}

}  // namespace

struct Tools::Tool {
    json::object listed;
    schema::Schema arguments;
    const Builtin* builtin = nullptr;  // or a scripted one:
    ScriptTool script{};
    std::vector<std::size_t> lines{};
    std::vector<std::int64_t> used{};
    std::int64_t calls = 0;

    std::string_view name() const { return text_in(listed, "name"); }

    Outcome play(const json::object& given, const std::string& key, const Count& count, const std::string& file)
    {
        const std::string text = cadre::to_text(json::value(given));
        for (std::size_t i = 0; i < script.answers.size(); ++i) {
            const Answer& answer = script.answers[i];
            const auto limit = limit_of(answer);
            if ((limit && used[i] >= *limit) || !matches(answer.when, given, text, calls)) continue;
            ++used[i];
            if (answer.count) count(key);
            return outcome_of(answer);
        }
        return {.answer = RpcError{.code = kInvalidParams,
                                   .message = fmt::format("no answer of {} is for this call: {}, call {}, arguments {}",
                                                          file, name(), calls, utf8_prefix(text, kShown))}};
    }
};

json::object text_result(std::string_view text, bool is_error)
{
    json::object result{{"content", json::array{json::object{{"type", "text"}, {"text", text}}}}};
    if (is_error) result["isError"] = true;
    return result;
}

Tools::Tools(ReadScript script, Count count) : count_(std::move(count)), script_(std::move(script.name))
{
    const auto replaced = [&](std::string_view name) {
        return std::ranges::any_of(script.script.tools, [&](const ScriptTool& tool) { return tool.name == name; });
    };
    for (const Builtin& one : builtins()) {
        json::object listed = parse_json(one.listed).as_object();
        if (!script.script.builtin || replaced(text_in(listed, "name"))) continue;
        auto schema = schema::Schema::compile(listed.at("inputSchema"));
        tools_.push_back(std::make_unique<Tool>(Tool{std::move(listed), std::move(schema), &one}));
    }
    for (std::size_t i = 0; i < script.script.tools.size(); ++i) {
        ScriptTool& tool = script.script.tools[i];
        json::object listed = listed_form(tool);
        auto schema = schema::Schema::compile(listed.at("inputSchema"));
        auto made = std::make_unique<Tool>(Tool{std::move(listed), std::move(schema)});
        made->used.resize(tool.answers.size());
        made->lines = std::move(script.lines[i]);
        made->script = std::move(tool);
        tools_.push_back(std::move(made));
    }
}

Tools::~Tools() = default;

const Tools::Tool* Tools::find(std::string_view name) const
{
    const auto found = std::ranges::find_if(tools_, [&](const auto& tool) { return tool->name() == name; });
    return found == tools_.end() ? nullptr : found->get();
}

json::array Tools::listed() const
{
    json::array all;
    for (const auto& tool : tools_) all.push_back(tool->listed);
    return all;
}

const json::object* Tools::find_schema(std::string_view name) const
{
    const Tool* tool = find(name);
    return tool ? object_in(tool->listed, "inputSchema") : nullptr;
}

bool Tools::is_long(std::string_view name) const
{
    const Tool* tool = find(name);
    return tool && tool->listed.contains("execution");
}

Outcome Tools::call(std::string_view name, const json::object& arguments, const std::string& key, bool& changed)
{
    const auto found = std::ranges::find_if(tools_, [&](const auto& one) { return one->name() == name; });
    if (found == tools_.end()) throw Error(Code::not_found, "no such tool");
    Tool& tool = **found;
    schema::Findings findings;
    try {
        findings = tool.arguments.validate(arguments);
    } catch (const Error& error) {
        return {.answer = text_result(error.what(), true)};
    }
    if (!findings.empty()) return {.answer = text_result("wrong arguments: " + schema::to_text(findings), true)};
    ++tool.calls;
    if (tool.builtin) return tool.builtin->call(arguments, key, count_);
    if (tool.script.changes && tool.script.changes->after == tool.calls) {
        tool.listed["description"] = tool.script.changes->description;
        changed = true;
    }
    return tool.play(arguments, key, count_, script_);
}

std::vector<std::string> Tools::left_over() const
{
    std::vector<std::string> lines;
    for (const auto& tool : tools_)
        for (std::size_t i = 0; i < tool->used.size(); ++i)
            if (const auto limit = limit_of(tool->script.answers[i]); limit && tool->used[i] < *limit)
                lines.push_back(fmt::format("{}:{}: used {} of {} times: {}", script_, tool->lines[i], tool->used[i],
                                            *limit, tool->name()));
    return lines;
}

}  // namespace cadre::mcp::mock
