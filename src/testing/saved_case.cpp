#include "testing/saved_case.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/redact.hpp"
#include "config/document.hpp"
#include "engine/body.hpp"
#include "engine/task_state.hpp"
#include "model/read.hpp"
#include "model/test_file.hpp"
#include "model/wire_name.hpp"
#include "model/yaml_example.hpp"
#include "testing/cassette.hpp"
#include "testing/judge.hpp"
#include "testing/outcome.hpp"
#include "testing/text_diff.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

namespace cadre::testing {
namespace {

using model::HumanAnswer;
using model::HumanRequest;
using model::HumanVerb;
using storage::Record;
using storage::RecordKind;

constexpr std::size_t kNameLength = 60;
constexpr std::string_view kHead = "# Tests, which `test` runs.\n";

/// Questions by their ids.
std::map<std::string, HumanRequest> questions_in(std::span<const Record> records)
{
    std::map<std::string, HumanRequest> questions;
    for (const Record& record : records) {
        if (record.kind != RecordKind::intent || engine::effect_of(record) != engine::EffectKind::ask) continue;
        const auto intent = engine::body_of<engine::IntentBody>(record);
        HumanRequest request = engine::own_of<engine::AskIntent>(intent, record).request.get();
        questions[request.id] = std::move(request);
    }
    return questions;
}

/// Words by which the question is known again.
std::optional<std::string> words_in(const HumanRequest& request)
{
    for (const char* member : {"question", "tool"})
        if (const json::value* text = request.context.if_contains(member); text && text->is_string())
            return std::string(text->get_string());
    return std::nullopt;
}

/// Nothing for what nobody says in a run without a crash.
std::optional<json::object> answer_of(const HumanRequest& request, const HumanAnswer& answer)
{
    json::object out;
    if (const auto words = words_in(request)) out["question"] = *words;
    const bool is_approval = request.type == model::HumanRequestType::approval;
    switch (answer.verb) {
    case HumanVerb::approve:
        if (is_approval) out["verb"] = "approve";
        break;
    case HumanVerb::reject: out["verb"] = "reject"; break;
    case HumanVerb::modify: {
        out["verb"] = "modify";
        const json::value* arguments = answer.updates.if_contains("arguments");
        const bool is_call = arguments && arguments->is_object() && !request.context.contains("node");
        out[is_call ? "arguments" : "state"] = is_call ? *arguments : json::value(answer.updates);
        break;
    }
    case HumanVerb::timeout:
    case HumanVerb::happened:
    case HumanVerb::not_happened: return std::nullopt;
    }
    if (!answer.message.empty() || !out.contains("verb")) out["answer"] = answer.message;
    return out;
}

json::array answers_in(std::span<const Record> records)
{
    const auto questions = questions_in(records);
    json::array answers;
    for (const Record& record : records) {
        if (record.kind != RecordKind::answer) continue;
        const auto body = engine::body_of<engine::AnswerBody>(record);
        const auto question = questions.find(body.request.str());
        if (question == questions.end()) continue;
        if (const auto answer = answer_of(question->second, body.answer.get())) answers.push_back(*answer);
    }
    return answers;
}

/// Whether what it answers depends on more than the task.
bool is_foreign(std::string_view tool, const model::Team& team)
{
    return std::ranges::any_of(team.tools, [&](const model::Tool& one) {
        return is_tool(one.name, tool) && one.type != model::ToolType::builtin;
    });
}

json::array stand_ins_of(const std::vector<SeenCall>& calls, const model::Team& team)
{
    json::array list;
    std::set<std::string> known;
    for (const SeenCall& call : calls) {
        if (!is_foreign(call.tool, team) || !known.insert(call.tool + to_text(call.args)).second) continue;
        json::object one{{"name", call.tool}};
        if (!call.args.empty()) one["args"] = call.args;
        one[call.failed ? "error" : "result"] = call.result;
        list.push_back(std::move(one));
    }
    return list;
}

json::object expectation_of(const Outcome& outcome, const std::vector<SeenCall>& calls)
{
    json::object expect;
    const bool completed = outcome.status == model::TaskStatus::completed;
    if (completed) expect["answer"] = outcome.answer;
    else expect["status"] = model::wire_name(outcome.status);
    json::array list;
    for (const SeenCall& call : calls) {
        json::object one{{"tool", call.tool}};
        if (!call.args.empty()) one["args"] = call.args;
        if (call.failed) one["failed"] = true;
        list.push_back(std::move(one));
    }
    expect["calls"] = std::move(list);
    return expect;
}

/// By whom, or with which pattern. What the team's file says is left out: an agent that is named wins over it.
void add_beginning(json::object& test, const engine::TaskSpec& spec, const model::Team& team)
{
    const json::value* named = spec.input.if_contains("pattern");
    const std::string pattern = spec.pattern.starts_with("plan@") ? std::string(model::kPlanning)
                                : named && named->is_string()     ? std::string(named->get_string())
                                                                  : "";
    if (!pattern.empty()) test["pattern"] = pattern;
    const bool has_several = team.agents.size() > 1;
    const bool is_first = has_several && spec.agent == team.agents.front().name;
    if (pattern.empty() ? has_several && (named || team.collaboration_patterns.empty()) : has_several && !is_first)
        test["agent"] = spec.agent;
}

/// The names of the cases; nothing when the text is no file of tests without problems.
std::optional<std::vector<std::string>> names_in(const std::string& text)
{
    config::Findings findings;
    const auto document = config::load("tests.yaml", text, findings);
    if (!document || findings.errors() > 0) return std::nullopt;
    model::TestFile file;
    model::Problems problems;
    model::read(document->value, &file, describe(&file), {}, problems, {});
    if (!problems.empty()) return std::nullopt;
    std::vector<std::string> names;
    for (const model::TestCase& test : file.cases) names.push_back(test.name);
    return names;
}

std::string without_indent(const std::string& text)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        std::string_view line(text.data() + at, end - at);
        if (line.starts_with("  ")) line.remove_prefix(2);
        out += line;
        at = end;
    }
    return out;
}

}  // namespace

json::object saved_case(const Family& family, const model::Team& team, const std::optional<std::string>& run)
{
    const std::span<const Record> records = family.tasks.front();
    const engine::TaskState state = engine::fold(records);
    if (!state.finished())
        throw Error(Code::conflict, fmt::format("the task has not ended, it is {}", model::wire_name(state.status)));
    if (state.spec.turn > 1)
        throw Error(Code::conflict, "the task continues a conversation, and a test begins a new one");
    const std::vector<SeenCall> calls = calls_in(family.trace);
    json::object test{{"name", one_line_of(state.spec.description, kNameLength)}};
    if (run) test["run"] = *run;
    const bool is_workflow = state.spec.setup.has_value();  // whose nodes say which agents run
    if (!is_workflow) add_beginning(test, state.spec, team);
    test["input"] = state.spec.description;
    if (is_workflow && !state.spec.input.empty()) test["inputs"] = state.spec.input;
    if (state.spec.mode != model::ExecutionMode::autonomous) test["mode"] = model::wire_name(state.spec.mode);
    json::array script;
    for (json::object& entry : cassette_of(family)) script.push_back(std::move(entry));
    if (!script.empty()) test["script"] = std::move(script);
    if (json::array answers = answers_in(records); !answers.empty()) test["answers"] = std::move(answers);
    if (json::array tools = stand_ins_of(calls, team); !tools.empty()) test["tools"] = std::move(tools);
    test["expect"] = expectation_of(outcome_of(state), calls);
    const auto masked = find_redacted(to_text(test));
    return masked ? parse_json(*masked, {.bytes = std::size_t{64} << 20}).as_object() : test;
}

std::string with_case(std::string_view text, json::object test)
{
    std::string before(text);
    if (before.empty()) before = std::string(kHead) + "cases:\n";
    const auto names = text.empty() ? std::vector<std::string>() : names_in(before);
    if (!names) throw Error(Code::conflict, "has mistakes");
    const std::string name(test["name"].as_string());
    std::string unique = name;
    for (int i = 2; std::ranges::find(*names, unique) != names->end(); ++i) unique = fmt::format("{} ({})", name, i);
    test["name"] = unique;
    if (!before.ends_with('\n')) before += '\n';
    if (!text.empty()) before += '\n';
    const std::string list = model::yaml_example(json::object{{"cases", json::array{std::move(test)}}});
    const std::string item = list.substr(list.find('\n') + 1);
    for (const std::string& added : {item, without_indent(item)})
        if (const auto now = names_in(before + added); now && now->size() == names->size() + 1) return before + added;
    throw Error(Code::conflict, "is written in a way that no case can be added at its end");
}

}  // namespace cadre::testing
