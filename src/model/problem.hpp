// Problems: everything that is wrong with an input, each with its place; collected, not thrown one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cadre::model {

/// The name of a member, or the index of an element.
using PathStep = std::variant<std::string, std::size_t>;
using PathSteps = std::vector<PathStep>;

/// For people: `agents[2].tools[0]`. A name may hold dots and brackets itself, and is cut when it is long; whoever looks a
/// place up goes by its steps.
std::string path_text(std::span<const PathStep> steps);

/// Where we are inside an input. Lives on the stack of whoever walks; costs nothing until something is said about it.
class Path {
public:
    Path() = default;
    Path(const Path& parent, std::string_view name) : parent_(&parent), depth_(parent.depth_ + 1), name_(name) {}
    Path(const Path& parent, std::size_t index)
        : parent_(&parent), depth_(parent.depth_ + 1), index_(index), is_index_(true)
    {}

    PathSteps steps() const;
    /// Whether it leads to that place, or to something in it.
    bool is_within(std::span<const PathStep> place) const;
    /// Whether that place is within this one.
    bool holds(std::span<const PathStep> place) const;

private:
    bool is_step(const PathStep& step) const;

    const Path* parent_ = nullptr;
    std::size_t depth_ = 0;
    std::string_view name_;
    std::size_t index_ = 0;
    bool is_index_ = false;
};

/// For whoever treats some problems in a special way: nobody needs to look at their text.
enum class ProblemKind : std::uint8_t {
    missing,        // what must be there is not
    unknown_field,  // a name that the entity does not have: the name is wrong, not its value
    unknown_name,   // a reference to something that is not there
    duplicate,      // a name that something else has already
    cycle,          // things that lead back to themselves
    other,
};

struct Problem {
    ProblemKind kind = ProblemKind::other;
    PathSteps place{};   // empty: the whole input
    std::string text{};  // "is required", with the fix where one is known
    PathSteps meant{};   // unknown_field: the place of the field that was probably meant; empty: no idea

    std::string path() const { return path_text(place); }
    std::string line() const { return place.empty() ? text : path() + ": " + text; }
};

/// How many problems of one input are kept; the rest is only counted.
inline constexpr std::size_t kMaxProblems = 100;

class Problems {
public:
    void add(Problem problem);
    void add(const Path& path, std::string text) { add(path, ProblemKind::other, std::move(text)); }
    void add(const Path& path, ProblemKind kind, std::string text);
    /// `parent` has a member `name`, which is no field of `owner`; `fields` are.
    void add_unknown_field(const Path& parent, std::string_view name, std::string_view owner,
                           std::span<const std::string> fields);

    /// `, did you mean "search"?`, or nothing when no candidate is near. Nothing too once the list is full: a hostile input
    /// must not buy a search for each of its words.
    std::string suggestion(std::string_view word, std::span<const std::string> candidates) const;

    /// Whether what stands there was read: nothing was said of it or of what it is a part of, and it is not what a mistyped
    /// name was meant to be.
    bool is_read(const Path& path) const;
    /// The same, of everything in it too.
    bool is_sound(const Path& path) const;

    bool empty() const { return list_.empty(); }
    const std::vector<Problem>& list() const { return list_; }
    std::size_t left_out() const { return left_out_; }
    /// All there were, kept or not: whether something went wrong in between is seen from this.
    std::size_t count() const { return list_.size() + left_out_; }

    /// One line each.
    std::string text() const;
    /// Throws Error(invalid) with all of them.
    void raise() const;

private:
    bool is_full() const { return list_.size() >= kMaxProblems; }

    std::vector<Problem> list_;
    std::size_t left_out_ = 0;
};

}  // namespace cadre::model
