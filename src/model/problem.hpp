// Problems: everything that is wrong with an input, each with its path; collected, not thrown one by one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {

/// Where we are inside an input: `agents[2].tools[0]`. Lives on the stack of whoever walks; costs nothing until it is shown.
class Path {
public:
    Path() = default;
    Path(const Path& parent, std::string_view name) : parent_(&parent), name_(name) {}
    Path(const Path& parent, std::size_t index) : parent_(&parent), index_(index), is_index_(true) {}

    std::string text() const;

private:
    const Path* parent_ = nullptr;
    std::string_view name_;
    std::size_t index_ = 0;
    bool is_index_ = false;
};

struct Problem {
    std::string path;  // empty: the whole input
    std::string text;  // "is required", with the fix where one is known

    std::string line() const { return path.empty() ? text : path + ": " + text; }
};

/// How many problems of one input are kept; the rest is only counted.
inline constexpr std::size_t kMaxProblems = 100;

class Problems {
public:
    void add(const Path& path, std::string text);
    void add(std::string path, std::string text);

    /// `, did you mean "search"?`, or nothing when no candidate is near. Nothing too once the list is full: a hostile input
    /// must not buy a search for each of its words.
    std::string suggestion(std::string_view word, std::span<const std::string> candidates) const;

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
    std::vector<Problem> list_;
    std::size_t left_out_ = 0;
};

}  // namespace cadre::model
