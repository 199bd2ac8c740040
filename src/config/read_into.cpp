#include "config/read_into.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "config/advice.hpp"
#include "config/file_kind.hpp"
#include "config/interpolate.hpp"
#include "config/quotes.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <set>

namespace cadre::config {

namespace {

using model::ProblemKind;

bool begins_number(std::string_view text)
{
    return !text.empty() && (text[0] == '-' || (text[0] >= '0' && text[0] <= '9'));
}

/// The sentence about a value that came from variables, without what they hold: the reference stands in its place. Sentences
/// about other places may tell of the value too; Findings::hide() is for these.
std::string with_reference(std::string text, const json::value& value, const std::string& written)
{
    const std::string_view whole = value.is_string() ? std::string_view(value.get_string()) : std::string_view();
    text = with_quotes(text, [&](std::string_view piece) {
        // a part of it too: `server.tool` is told of by its halves
        const std::string_view inside = piece.substr(1, piece.size() - 2);
        return inside.empty() || whole.find(inside) == whole.npos ? std::string(piece) : in_quotes(written);
    });
    // numbers are told without quotes: `must be at least 1, is 0`, `300 is out of range`
    const std::size_t is = text.rfind(", is ");
    if (is != text.npos && begins_number(std::string_view(text).substr(is + 5))) text.resize(is);
    if (begins_number(text)) text.replace(0, text.find(' '), written);
    return text;
}

/// `mcpServers`, pasted into the file of something else.
bool is_misplaced_block(const model::Problem& problem)
{
    return problem.meant.empty() && problem.place == PathSteps{std::string(kDesktopBlock)};
}

void report(const model::Problem& problem, const Document& document, Findings& findings, Hint hint = {})
{
    const Found found = find(document.value, document.root, problem.place);
    const Place& place = *found.place;
    if (place.reported) return;
    const bool about_name = found.exact && problem.kind == ProblemKind::unknown_field;
    std::string text = problem.text;
    const std::string_view advice = text.find(';') == text.npos ? advice_for(problem) : "";
    if (!advice.empty()) text += fmt::format("; {}", advice);
    else if (about_name && is_misplaced_block(problem)) text += "; put it into config/mcp_servers.yaml";
    else if (about_name && problem.meant.empty() && text.find(';') == text.npos) text += "; remove it";
    if (found.exact && !about_name && !place.variable.empty()) {
        if (!place.written.empty()) text = with_reference(std::move(text), *found.value, place.written);
        text += place.is_set_empty ? "; the variable " + place.variable + " is set but empty"
                                   : "; it comes from the variable " + place.variable;
        hint = {};  // it may tell what the variable holds
    }
    findings.error(document.file, about_name ? place.key : place.at,
                   problem.place.empty() ? text : problem.path() + ": " + text, std::move(hint));
}

}  // namespace

model::Problems without_consequences(const model::Problems& problems)
{
    std::set<PathSteps> meant;
    for (const model::Problem& problem : problems.list())
        if (!problem.meant.empty()) meant.insert(problem.meant);
    model::Problems rest;
    for (const model::Problem& problem : problems.list())
        if (problem.kind != ProblemKind::missing || !meant.contains(problem.place)) rest.add(problem);
    return rest;
}

void report(const model::Problems& problems, const Document& document, Findings& findings, const PathSteps& at)
{
    const model::Problems told = without_consequences(problems);
    for (model::Problem problem : told.list()) {
        if (problem.kind == ProblemKind::cycle) continue;  // report_cycles() knows them all, and their edges
        problem.place = joined(at, problem.place);
        report(problem, document, findings);
    }
    if (problems.left_out() > 0)
        findings.error(document.file, {}, fmt::format("and {} more problems", problems.left_out()));
}

void report(const PathSteps& path, std::string text, const Document& document, Findings& findings, Hint hint)
{
    const Found found = find(document.value, document.root, path);
    if (found.exact && findings.has_error_at(document.file, found.place->at)) return;
    report(model::Problem{.place = path, .text = std::move(text)}, document, findings, std::move(hint));
}

bool read_into(json::value& value, const Document& document, void* entity, const model::Entity& description,
               Findings& findings, const PathSteps& at)
{
    convert_references(value, *find(document.value, document.root, at).place, description);
    model::Problems problems;
    model::read(value, entity, description, {}, problems, {});
    report(problems, document, findings, at);
    return problems.empty();
}

}  // namespace cadre::config
