#include "engine/seats.hpp"

#include <algorithm>
#include <utility>

namespace cadre::engine {

template <class Visit>
void Seats::around(std::string_view path, Visit visit)
{
    for (std::size_t end = 0; end != path.npos; end = path.find('/', end)) {
        if (end > 0) ++end;  // the scope of the whole run has no slash
        if (const auto scope = claims_.find(path.substr(0, end)); scope != claims_.end())
            for (Claim& claim : scope->second)
                if (visit(claim)) return;
    }
}

void Seats::claim(const std::string& scope, std::string group, int most)
{
    auto& claims = claims_[scope];
    if (std::ranges::find(claims, group, &Claim::group) != claims.end()) return;
    bool is_inside = false;  // of one that has a seat of the same kind
    around(scope, [&](const Claim& outer) { return is_inside = outer.group == group; });
    if (!is_inside) claims.push_back({.group = std::move(group), .most = std::max(most, 1)});
}

Seats::Claim* Seats::missing(std::string_view path)
{
    Claim* missing = nullptr;
    around(path, [&](Claim& claim) {
        if (!claim.sits) missing = &claim;
        return missing != nullptr;
    });
    return missing;
}

bool Seats::take(Claim& claim) noexcept
{
    if (claim.sits) return true;
    int& taken = taken_[claim.group];
    if (taken >= claim.most) return false;
    ++taken;
    return claim.sits = true;
}

void Seats::leave(const std::string& scope) noexcept
{
    const auto place = claims_.find(scope);
    if (place == claims_.end()) return;
    for (const Claim& claim : place->second)
        if (claim.sits) --taken_[claim.group];
    claims_.erase(place);
}

void Seats::remember(std::string_view path)
{
    around(path, [](Claim& claim) {
        claim.sat = true;
        return false;
    });
}

void Seats::seat_those_who_sat() noexcept
{
    for (auto& [scope, claims] : claims_)
        for (Claim& claim : claims)
            if (claim.sat) take(claim);
}

}  // namespace cadre::engine
