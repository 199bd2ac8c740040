#include "testing/judge.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "model/wire_name.hpp"
#include "schema/schema.hpp"
#include "testing/text_diff.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::testing {
namespace {

using model::TestCall;
using model::TestExpectation;
using model::TestOrder;
using model::TextMatch;

constexpr std::size_t kShown = 64;  // characters of what is quoted on a line

std::string_view without_line_breaks(std::string_view text)
{
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

std::vector<std::string> texts_in(const json::value& contains)
{
    std::vector<std::string> texts;
    if (const auto* text = contains.if_string()) texts.emplace_back(*text);
    if (const auto* list = contains.if_array())
        for (const json::value& text : *list) texts.emplace_back(text.as_string());
    return texts;
}

/// What was wanted, over the text that is not so.
std::string wanted(std::string_view how, std::string_view what, std::string_view text)
{
    return fmt::format("expected {}: {}\ngot: {}", how, one_line_of(what, kShown),
                       text.empty() ? "nothing" : one_line_of(text, 5 * kShown));
}

std::string schema_mismatch(const json::object& schema, std::string_view text)
{
    json::value value;
    try {
        value = parse_json(text);
    } catch (const Error& error) {
        return fmt::format("expected JSON: {}\ngot: {}", error.what(), one_line_of(text, 5 * kShown));
    }
    const schema::Findings findings = schema::Schema::compile(schema).validate(value);
    return findings.empty() ? "" : "is not as the schema says:\n" + schema::to_text(findings);
}

bool fits(const TestCall& expected, const SeenCall& seen)
{
    return is_tool(expected.tool, seen.tool) && is_part(expected.args, seen.args) &&
           (!expected.agent || *expected.agent == seen.agent) &&
           (!expected.failed || *expected.failed == seen.failed) &&
           (!expected.result || mismatch(*expected.result, seen.result).empty());
}

std::string arguments_text(const json::object& args)
{
    return args.empty() ? "" : " " + to_text(args);
}

std::string text_of(const TestCall& call)
{
    std::string text = call.tool + arguments_text(call.args);
    if (call.agent) text += " by " + *call.agent;
    if (call.failed) text += *call.failed ? " fails" : " works";
    if (call.result) {
        const auto texts = texts_in(call.result->contains);
        if (call.result->equals) text += " -> " + *call.result->equals;
        else if (!texts.empty()) text += fmt::format(" -> …{}…", fmt::join(texts, "…"));
        else if (call.result->matches) text += fmt::format(" -> /{}/", *call.result->matches);
        else text += " -> as its schema says";
    }
    return one_line_of(text, kShown);
}

/// With what the expectation speaks of, if it does.
std::string text_of(const SeenCall& call, const std::vector<TestCall>& expected)
{
    const auto any = [&](auto test) { return std::ranges::any_of(expected, test); };
    std::string text = call.tool + arguments_text(call.args);
    if (any([](const TestCall& one) { return one.agent.has_value(); })) text += " by " + call.agent;
    if (call.failed) text += " fails";
    if (any([](const TestCall& one) { return one.result.has_value(); })) text += " -> " + call.result;
    return one_line_of(text, kShown);
}

std::string rows_text(const Pairing& pairing, const std::vector<TestCall>& expected, const std::vector<SeenCall>& got)
{
    std::string text = "- expected, + got";
    for (const Pairing::Row& row : pairing.rows)
        text += row.side == Pairing::Side::both       ? "\n  " + text_of(got[row.got], expected)
                : row.side == Pairing::Side::expected ? "\n- " + text_of(expected[row.expected])
                                                      : "\n+ " + text_of(got[row.got], expected);
    return text;
}

/// Each expected call with one that was made, whatever their order: which with which is found as a matching, because one that is
/// said in fewer words may fit several.
class AnyOrder {
public:
    AnyOrder(const std::vector<TestCall>& expected, const std::vector<SeenCall>& got)
        : expected_(expected), got_(got), taken_by_(got.size(), kFree)
    {
        for (std::size_t i = 0; i < expected_.size(); ++i) {
            std::vector<bool> tried(got_.size());
            if (!place(i, tried)) missing_.push_back(i);
        }
    }

    Pairing pairing() const
    {
        Pairing pairing;
        for (const std::size_t i : missing_) pairing.rows.push_back({.side = Pairing::Side::expected, .expected = i});
        for (std::size_t j = 0; j < got_.size(); ++j)
            if (taken_by_[j] == kFree) pairing.rows.push_back({.side = Pairing::Side::got, .got = j});
        pairing.same = pairing.rows.empty();
        return pairing;
    }

private:
    static constexpr std::size_t kFree = SIZE_MAX;

    bool place(std::size_t i, std::vector<bool>& tried)
    {
        for (std::size_t j = 0; j < got_.size(); ++j) {
            if (tried[j] || !fits(expected_[i], got_[j])) continue;
            tried[j] = true;
            if (taken_by_[j] != kFree && !place(taken_by_[j], tried)) continue;
            taken_by_[j] = i;
            return true;
        }
        return false;
    }

    const std::vector<TestCall>& expected_;
    const std::vector<SeenCall>& got_;
    std::vector<std::size_t> taken_by_;
    std::vector<std::size_t> missing_;
};

std::string calls_mismatch(const std::vector<TestCall>& expected, TestOrder order, const std::vector<SeenCall>& got)
{
    if (order == TestOrder::any) {
        const Pairing pairing = AnyOrder(expected, got).pairing();
        return pairing.same ? "" : rows_text(pairing, expected, got);
    }
    const auto fit = [&](std::size_t i, std::size_t j) { return fits(expected[i], got[j]); };
    const Pairing pairing = paired(expected.size(), got.size(), fit);
    const auto is_missing = [](const Pairing::Row& row) { return row.side == Pairing::Side::expected; };
    const bool good = order == TestOrder::among ? std::ranges::none_of(pairing.rows, is_missing) : pairing.same;
    return good ? "" : rows_text(pairing, expected, got);
}

std::string events_mismatch(const std::vector<std::string>& expected, const std::vector<std::string>& got)
{
    auto place = got.begin();
    std::string_view before;
    for (std::string_view type : expected) {
        if (type.starts_with(kEventPrefix)) type.remove_prefix(kEventPrefix.size());
        const auto found = std::find(place, got.end(), type);
        if (found == got.end())
            return fmt::format("expected {}{}\ngot: {}", type, before.empty() ? "" : fmt::format(" after {}", before),
                               got.empty() ? "none" : fmt::format("{}", fmt::join(got, ", ")));
        place = found + 1;
        before = type;
    }
    return {};
}

std::string state_text(const json::value& value)
{
    return value.is_string() ? std::string(value.get_string()) : to_text(value);
}

std::string status_text(const Outcome& outcome)
{
    std::string text(model::wire_name(outcome.status));
    if (!outcome.error.empty()) text += ": " + outcome.error;
    for (const std::string& question : outcome.open_questions)
        text += fmt::format("\nnobody answers: {}", one_line_of(question, 4 * kShown));
    return text;
}

class Judge {
public:
    Judge(const TestExpectation& expect, const Outcome& outcome) : expect_(expect), outcome_(outcome) {}

    std::vector<Difference> run()
    {
        if (outcome_.status != expect_.status) {
            add("status",
                fmt::format("expected: {}\ngot:      {}", model::wire_name(expect_.status), status_text(outcome_)));
            return std::move(found_);
        }
        if (expect_.answer) add("answer", mismatch(*expect_.answer, outcome_.answer));
        if (expect_.error) add("error", mismatch(*expect_.error, outcome_.error));
        if (expect_.calls) add("calls", calls_mismatch(*expect_.calls, expect_.order, outcome_.calls));
        add("events", events_mismatch(expect_.events, outcome_.events));
        for (const auto& [path, match] : expect_.files) file(path, match);
        for (const auto& field : expect_.state) state(field.key(), field.value());
        limits();
        if (!outcome_.left_faults.empty())
            add("faults", fmt::format("did not happen:\n{}", fmt::join(outcome_.left_faults, "\n")));
        if (expect_.status == model::TaskStatus::completed && !outcome_.left_over.empty())
            add("script", fmt::format("has entries that nothing asked for:\n{}", fmt::join(outcome_.left_over, "\n")));
        if (!outcome_.unused_answers.empty())
            add("answers", fmt::format("nothing asked for:\n{}", fmt::join(outcome_.unused_answers, "\n")));
        return std::move(found_);
    }

private:
    void add(std::string what, std::string text)
    {
        if (!text.empty()) found_.push_back({std::move(what), std::move(text)});
    }

    void file(const std::string& path, const TextMatch& match)
    {
        const auto found = outcome_.files.find(path);
        const bool there = found != outcome_.files.end() && found->second;
        add("files." + path, there ? mismatch(match, *found->second)
                             : outcome_.written.empty()
                                 ? "was not written; no file was"
                                 : fmt::format("was not written; these were: {}", fmt::join(outcome_.written, ", ")));
    }

    void state(std::string_view name, const json::value& wanted)
    {
        const json::value* got = outcome_.state.if_contains(name);
        if (got && is_part(wanted, *got)) return;
        add(fmt::format("state.{}", name),
            text_diff(state_text(wanted), got ? state_text(*got) : std::string("(nothing)")));
    }

    template <class Most, class Used>
    void limit(const char* what, const std::optional<Most>& most, Used used)
    {
        if (most && used > *most) add(what, fmt::format("expected: at most {}\ngot:      {}", *most, used));
    }

    void limits()
    {
        limit("max_cost", expect_.max_cost, outcome_.usage.cost);
        limit("max_tokens", expect_.max_tokens, outcome_.usage.input + outcome_.usage.output);
        limit("max_steps", expect_.max_steps, outcome_.steps);
        limit("max_calls", expect_.max_calls, static_cast<int>(outcome_.calls.size()));
    }

    const TestExpectation& expect_;
    const Outcome& outcome_;
    std::vector<Difference> found_;
};

}  // namespace

bool is_tool(std::string_view name, std::string_view called)
{
    if (called == name) return true;
    return called.size() > name.size() && called.ends_with(name) && called[called.size() - name.size() - 1] == '.';
}

bool is_part(const json::value& part, const json::value& whole)
{
    const auto* object = part.if_object();
    if (!object) return to_canonical_text(part) == to_canonical_text(whole);  // 2 and 2.0 are one number
    const auto* other = whole.if_object();
    return other && std::ranges::all_of(*object, [&](const auto& member) {
               const json::value* found = other->if_contains(member.key());
               return found && is_part(member.value(), *found);
           });
}

std::string mismatch(const TextMatch& match, std::string_view text)
{
    if (match.equals && without_line_breaks(*match.equals) != without_line_breaks(text))
        return text_diff(without_line_breaks(*match.equals), without_line_breaks(text));
    for (const std::string& part : texts_in(match.contains))
        if (text.find(part) == text.npos) return wanted("to contain", part, text);
    if (match.matches) {
        const json::object pattern{{"pattern", *match.matches}};
        if (!schema::Schema::compile(pattern).accepts(json::string(text)))
            return wanted("to match", *match.matches, text);
    }
    return match.schema ? schema_mismatch(*match.schema, text) : "";
}

std::vector<Difference> differences(const TestExpectation& expect, const Outcome& outcome)
{
    return Judge(expect, outcome).run();
}

}  // namespace cadre::testing
