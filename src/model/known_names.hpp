// The names of one kind of thing, held against what refers to them.
#pragma once

#include "model/problem.hpp"

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {

/// Reports names that are here twice. `path` leads to the list of the things; each has its name in `field`.
void check_distinct(std::span<const std::string> names, const Path& path, std::string_view field, Problems& problems);

/// Made after the names themselves were checked: while one of them is wrong nothing is said about who refers to whom, as the
/// wrong one may be the one that is meant.
class KnownNames {
public:
    /// `path` leads to the list of the things, each with its name in `field`, or to a dict, if there is none.
    KnownNames(std::vector<std::string> names, const Path& path, std::string_view field, Problems& problems);

    /// Whether the name at `path` is one that nobody has.
    bool lack(std::string_view name, const Path& path) const;
    /// Reports that name as `text`, with the one that was probably meant, else with `fix`.
    void report(std::string_view name, const Path& path, std::string text, std::string_view fix) const;

private:
    std::vector<std::string> names_;
    std::set<std::string_view> known_;
    bool sure_;
    Problems& problems_;
};

}  // namespace cadre::model
