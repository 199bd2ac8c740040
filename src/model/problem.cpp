#include "model/problem.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <optional>

namespace cadre::model {

namespace {

/// As much of a name as is shown.
constexpr std::size_t kShownName = 80;

std::string did_you_mean(const std::optional<std::string>& name)
{
    return name ? ", did you mean \"" + *name + "\"?" : std::string();
}

}  // namespace

std::string path_text(std::span<const PathStep> steps)
{
    std::string text;
    for (const PathStep& step : steps) {
        if (const auto* index = std::get_if<std::size_t>(&step)) {
            text += '[' + std::to_string(*index) + ']';
            continue;
        }
        if (!text.empty()) text += '.';
        text += utf8_prefix(std::get<std::string>(step), kShownName);
    }
    return text;
}

PathSteps Path::steps() const
{
    PathSteps steps(depth_);
    for (const Path* here = this; here->parent_; here = here->parent_)
        if (here->is_index_) steps[here->depth_ - 1] = here->index_;
        else steps[here->depth_ - 1] = std::string(here->name_);
    return steps;
}

bool Path::is_step(const PathStep& step) const
{
    if (const auto* index = std::get_if<std::size_t>(&step)) return is_index_ && index_ == *index;
    return !is_index_ && name_ == std::get<std::string>(step);
}

bool Path::is_within(std::span<const PathStep> place) const
{
    const Path* here = this;
    while (here->depth_ > place.size()) here = here->parent_;
    return here->depth_ == place.size() && here->holds(place);
}

bool Path::holds(std::span<const PathStep> place) const
{
    if (place.size() < depth_) return false;
    for (const Path* here = this; here->parent_; here = here->parent_)
        if (!here->is_step(place[here->depth_ - 1])) return false;
    return true;
}

void Problems::add(Problem problem)
{
    if (is_full()) ++left_out_;
    else list_.push_back(std::move(problem));
}

void Problems::add(const Path& path, ProblemKind kind, std::string text)
{
    if (is_full()) ++left_out_;
    else add({.kind = kind, .place = path.steps(), .text = std::move(text)});
}

void Problems::add_unknown_field(const Path& parent, std::string_view name, std::string_view owner,
                                 std::span<const std::string> fields)
{
    if (is_full()) {
        ++left_out_;
        return;
    }
    const auto near = nearest(name, fields);
    add({.kind = ProblemKind::unknown_field,
         .place = Path(parent, name).steps(),
         .text = "is not a field of " + std::string(owner) + did_you_mean(near),
         .meant = near ? Path(parent, *near).steps() : PathSteps()});
}

std::string Problems::suggestion(std::string_view word, std::span<const std::string> candidates) const
{
    if (is_full()) return {};
    return did_you_mean(nearest(word, candidates));
}

bool Problems::is_read(const Path& path) const
{
    return std::ranges::none_of(list_, [&](const Problem& problem) {
        return path.is_within(problem.place) || (!problem.meant.empty() && path.is_within(problem.meant));
    });
}

bool Problems::is_sound(const Path& path) const
{
    return is_read(path) &&
           std::ranges::none_of(list_, [&](const Problem& problem) { return path.holds(problem.place); });
}

std::string Problems::text() const
{
    std::string text;
    for (const Problem& problem : list_) text += (text.empty() ? "" : "\n") + problem.line();
    if (left_out_ > 0) text += "\nand " + std::to_string(left_out_) + " more";
    return text;
}

void Problems::raise() const
{
    if (!empty()) throw Error(Code::invalid, text());
}

}  // namespace cadre::model
