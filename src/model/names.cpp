#include "model/names.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "model/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace cadre::model {

namespace {

std::string with_replaced(std::string_view text, char from, char to)
{
    std::string out(text);
    std::replace(out.begin(), out.end(), from, to);
    return out;
}

bool is_small_letter(char c)
{
    return c >= 'a' && c <= 'z';
}
}  // namespace

bool is_node_name(std::string_view name)
{
    const auto is_letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; };
    const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
    return !name.empty() && name.size() <= kLongestNodeName && is_letter(name[0]) && std::ranges::all_of(name, fits);
}

std::string alias_of(std::string_view name)
{
    return with_replaced(name, '_', '-');
}

std::string name_of_alias(std::string_view alias)
{
    return with_replaced(alias, '-', '_');
}

std::string slugified(std::string_view display_name)
{
    std::string slug;
    for (char c : display_name) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
        if (is_small_letter(c) || is_digit(c)) slug += c;
        else if (!slug.empty() && slug.back() != '_') slug += '_';
    }
    while (!slug.empty() && slug.back() == '_') slug.pop_back();
    if (slug.empty()) return "agent";
    return is_small_letter(slug[0]) ? slug : "agent_" + slug;
}

void check_names(std::span<const NamedAlias> all, const Path& path, Problems& problems)
{
    std::set<std::string_view> names;
    std::map<std::string, std::string_view> owners;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const Path here(path, i);
        if (!problems.is_read(Path(here, "name")) || !problems.is_read(Path(here, "alias"))) continue;
        if (!names.insert(all[i].name).second) {
            problems.add(Path(here, "name"), ProblemKind::duplicate,
                         in_quotes(all[i].name) + " is here twice; rename one of them");
            continue;
        }
        const std::string alias = all[i].alias.empty() ? alias_of(all[i].name) : std::string(all[i].alias);
        const auto [owner, added] = owners.emplace(alias, all[i].name);
        if (!added)
            problems.add(Path(here, "alias"), ProblemKind::duplicate,
                         fmt::format("{} is already the alias of {}; give one of them another", in_quotes(alias),
                                     in_quotes(owner->second)));
    }
}

}  // namespace cadre::model
