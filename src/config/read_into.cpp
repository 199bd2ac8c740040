#include "config/read_into.hpp"

#include "base/json.hpp"
#include "config/interpolate.hpp"
#include "model/read.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <set>

namespace cadre::config {

namespace {

std::string joined(std::string_view at, const std::string& path)
{
    if (at.empty()) return path;
    if (path.empty()) return std::string(at);
    return std::string(at) + (path.starts_with('[') ? "" : ".") + path;
}

/// The sentence of model/read.cpp for a name that nobody knows: the name is wrong there, not the value.
bool is_about_the_name(std::string_view text)
{
    return text.starts_with("is not a field of ");
}

/// Where the name that was suggested for a mistyped one would stand.
std::string meant_path(const model::Problem& problem)
{
    const std::size_t end = problem.text.rfind('"');
    const std::size_t start = end == problem.text.npos || end == 0 ? end : problem.text.rfind('"', end - 1);
    if (start == problem.text.npos) return problem.path;
    const std::size_t dot = problem.path.rfind('.');
    const std::string parent = dot == problem.path.npos ? "" : problem.path.substr(0, dot + 1);
    return parent + problem.text.substr(start + 1, end - start - 1);
}

}  // namespace

void report(std::string path, std::string text, const Document& document, Findings& findings)
{
    const Found found = find(document.value, document.root, path);
    if (found.place->reported) return;  // already said
    const bool name = found.exact && is_about_the_name(text);
    if (const Place& place = *found.place; found.exact && !name && !place.variable.empty())
        text += place.is_set_empty ? "; the variable " + place.variable + " is set but empty"
                                   : "; it comes from the variable " + place.variable;
    const std::string line = path.empty() ? std::move(text) : path + ": " + text;
    findings.error(document.file, name ? found.place->key : found.place->at, line);
}

void report(const model::Problems& problems, const Document& document, Findings& findings, std::string_view at)
{
    std::set<std::string> meant;
    for (const model::Problem& problem : problems.list())
        if (is_about_the_name(problem.text)) meant.insert(meant_path(problem));
    for (const model::Problem& problem : problems.list())
        // a field that is missing because its name is mistyped was just told about
        if (problem.text != "is required" || !meant.contains(problem.path))
            report(joined(at, problem.path), problem.text, document, findings);
    if (problems.left_out() > 0)
        findings.error(document.file, {}, fmt::format("and {} more problems", problems.left_out()));
}

bool read_into(json::value& value, const Document& document, void* entity, const model::Entity& description,
               Findings& findings, std::string_view at)
{
    convert_references(value, *find(document.value, document.root, at).place, description);
    model::Problems problems;
    model::read(value, entity, description, {}, problems, {});
    report(problems, document, findings, at);
    return problems.empty();
}

}  // namespace cadre::config
