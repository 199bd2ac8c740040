#include "schema/program.hpp"

#include <algorithm>
#include <cstring>

namespace cadre::schema {

namespace {

/// Shorter names first: most comparisons end at the length.
struct ShorterFirst {
    bool operator()(std::string_view a, std::string_view b) const
    {
        if (a.size() != b.size()) return a.size() < b.size();
        return std::memcmp(a.data(), b.data(), a.size()) < 0;
    }
};

}  // namespace

const Member* ObjectRules::find_member(std::string_view name) const
{
    const auto found = std::ranges::lower_bound(members, name, ShorterFirst(), &Member::name);
    return found != members.end() && found->name == name ? &*found : nullptr;
}

/// Joins what `properties` and `required` say of one name.
void ObjectRules::join_members()
{
    std::ranges::sort(members, ShorterFirst(), &Member::name);
    std::vector<Member> joined;
    for (Member& member : members) {
        if (joined.empty() || joined.back().name != member.name) {
            joined.push_back(std::move(member));
            continue;
        }
        joined.back().required |= member.required;
        if (member.schema) joined.back().schema = member.schema;
    }
    members = std::move(joined);
    required = static_cast<std::size_t>(std::ranges::count(members, true, &Member::required));
}

}  // namespace cadre::schema
