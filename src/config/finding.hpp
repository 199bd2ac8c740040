// Findings: everything that is wrong with a set of files, each with its place and what to do about it.
#pragma once

#include "base/error.hpp"
#include "config/place.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::config {

/// A note is about where the files are used, not about what they say: nothing is wrong with them.
enum class Severity : std::uint8_t { note, warning, error };

std::string_view name_of(Severity severity);

struct Finding {
    std::string file;
    Position at{};
    Severity severity = Severity::error;
    std::string text;
    Hint hint{};  // what to do about it, where that is a verb of ours

    /// `teams/a.yaml:3:7`, or the name alone of what has no lines.
    std::string place() const;
    /// `teams/a.yaml:3:7: agents[0].tools[0]: …`; what is no error says so.
    std::string line() const;
    /// Whatever the hint is.
    bool operator==(const Finding& other) const;
};

/// More of one file than anyone reads; the rest is only counted. Of one file, so that a bad one hides no other.
inline constexpr std::size_t kMaxFindings = 200;

class Findings {
public:
    /// Its text quotes what people wrote: credentials in it are masked, and what cannot be seen is made visible.
    void add(Finding finding);
    /// From now on `value`, which variables gave, is told as it is written: `${HOST}:80`. Whatever a variable is called, what it
    /// holds may be nobody's business.
    void hide(std::string_view value, std::string_view written);
    /// Counts what another list left out of this file, for those who take over its findings one by one.
    void add_left_out(const Findings& other, const std::string& file);
    void error(std::string file, Position at, std::string text, Hint hint = {})
    {
        add({std::move(file), at, Severity::error, std::move(text), std::move(hint)});
    }
    void note(std::string file, Position at, std::string text) { add({std::move(file), at, Severity::note, text}); }
    void warn(std::string file, Position at, std::string text) { add({std::move(file), at, Severity::warning, text}); }

    bool empty() const { return list_.empty(); }
    const std::vector<Finding>& list() const { return list_; }
    std::size_t errors() const { return errors_; }
    /// Of those in list().
    std::size_t count(Severity severity) const;
    std::size_t left_out() const;
    bool has_error_at(std::string_view file, Position at) const;

    /// By file in the order in which they were read, then by place; what is there twice, once.
    void sort();
    /// One line each.
    std::string text() const;
    /// Throws Error(invalid) with all of them if one is an error, and the first hint that there is.
    void raise() const;

private:
    std::string masked(const std::string& text) const;

    std::vector<Finding> list_;
    std::size_t errors_ = 0;
    struct Counts {
        std::size_t kept = 0, left_out = 0, left_out_errors = 0;
    };
    std::map<std::string, Counts> counts_;                           // by file
    std::map<std::string, std::string, std::less<>> hidden_;         // by value: as written
    std::map<std::string, std::string, std::less<>> hidden_quotes_;  // the same, both in quotes
};

}  // namespace cadre::config
