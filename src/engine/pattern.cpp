#include "engine/pattern.hpp"

#include "base/async.hpp"
#include "base/error.hpp"

#include <algorithm>

namespace cadre::engine {

void Patterns::add(Pattern pattern)
{
    if (std::ranges::count(patterns_, pattern.name, &Pattern::name) > 0)
        throw Error(Code::conflict, "there is a pattern " + in_quotes(pattern.name) + " already");
    patterns_.push_back(std::move(pattern));
}

const Pattern* Patterns::find(std::string_view name) const
{
    const auto place = std::ranges::find(patterns_, name, &Pattern::name);
    return place == patterns_.end() ? nullptr : &*place;
}

const Pattern& Patterns::get(std::string_view name) const
{
    if (const Pattern* found = find(name)) return *found;
    std::string known;
    for (const Pattern& pattern : patterns_) known += (known.empty() ? "" : ", ") + pattern.name;
    throw Error(Code::not_found, "there is no pattern called " + in_quotes(name) + "; there are: " + known);
}

}  // namespace cadre::engine
