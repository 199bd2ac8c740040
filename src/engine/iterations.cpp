#include "engine/iterations.hpp"

namespace cadre::engine {

namespace {

/// Calls `take` with each scope around `path`, the outermost first.
template <class Take>
void for_scopes(std::string_view path, Take take)
{
    take(std::string_view());
    for (std::size_t i = 0; i < path.size(); ++i)
        if (path[i] == '/') take(path.substr(0, i + 1));
}

}  // namespace

int Iterations::owed_at(std::string_view path) const
{
    int owed = 0;
    if (owed_.empty()) return owed;
    for_scopes(path, [&](std::string_view scope) {
        if (const auto place = owed_.find(scope); place != owed_.end()) owed += place->second;
    });
    return owed;
}

void Iterations::pay_at(std::string_view path)
{
    if (owed_.empty()) return;
    for_scopes(path, [&](std::string_view scope) {
        if (const auto place = owed_.find(scope); place != owed_.end()) owed_.erase(place);
    });
}

}  // namespace cadre::engine
