#include "model/known_names.hpp"

#include "base/error.hpp"

namespace cadre::model {

namespace {

bool are_read(std::size_t count, const Path& path, std::string_view field, const Problems& problems)
{
    if (problems.empty()) return true;
    if (field.empty()) return problems.is_read(path);
    for (std::size_t i = 0; i < count; ++i) {
        const Path here(path, i);
        if (!problems.is_read(Path(here, field))) return false;
    }
    return problems.is_read(path);
}

}  // namespace

void check_distinct(std::span<const std::string> names, const Path& path, std::string_view field, Problems& problems)
{
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Path thing(path, i);
        const Path here(thing, field);
        if (problems.is_read(here) && !seen.insert(names[i]).second)
            problems.add(here, ProblemKind::duplicate, in_quotes(names[i]) + " is here twice; rename one of them");
    }
}

KnownNames::KnownNames(std::vector<std::string> names, const Path& path, std::string_view field, Problems& problems)
    : names_(std::move(names)),
      known_(names_.begin(), names_.end()),
      sure_(are_read(names_.size(), path, field, problems)),
      problems_(problems)
{}

bool KnownNames::lack(std::string_view name, const Path& path) const
{
    return sure_ && !known_.contains(name) && problems_.is_read(path);
}

void KnownNames::report(std::string_view name, const Path& path, std::string text, std::string_view fix) const
{
    const std::string near = problems_.suggestion(name, names_);
    problems_.add(path, ProblemKind::unknown_name, std::move(text) + (near.empty() ? "; " + std::string(fix) : near));
}

}  // namespace cadre::model
