#include "engine/principal.hpp"

#include "base/error.hpp"
#include "base/mutant.hpp"

#include <algorithm>
#include <array>

namespace cadre::engine {

namespace {

constexpr std::size_t kRoles = 5;
constexpr std::size_t kActs = 7;
constexpr std::array<std::string_view, kRoles> kRoleNames{"viewer", "user", "approver", "operator", "admin"};
constexpr std::array<std::string_view, kActs> kActNames{"read",   "work",       "reply",   "approve",
                                                        "change", "administer", "maintain"};

/// Who may do what: a row for each act, a column for each role, both in the order of their enumerators.
constexpr Reach kTable[kActs][kRoles] = {
    // viewer,      user,        approver,    operator,    admin
    {Reach::all, Reach::own, Reach::all, Reach::all, Reach::all},      // read
    {Reach::none, Reach::own, Reach::none, Reach::all, Reach::all},    // work
    {Reach::none, Reach::own, Reach::all, Reach::all, Reach::all},     // reply
    {Reach::none, Reach::none, Reach::all, Reach::none, Reach::all},   // approve
    {Reach::none, Reach::none, Reach::none, Reach::all, Reach::all},   // change
    {Reach::none, Reach::none, Reach::none, Reach::none, Reach::all},  // administer
    {Reach::none, Reach::none, Reach::none, Reach::none, Reach::all},  // maintain
};

constexpr Reach granted(Role role, Act act)
{
    return kTable[static_cast<std::size_t>(act)][static_cast<std::size_t>(role)];
}

std::string joined(const std::vector<std::string_view>& words, std::string_view last)
{
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? last : ", ";
        text += words[i];
    }
    return text;
}

/// "needs the role approver or admin": those that reach so far at least.
std::string needed_for(Act act, Reach least)
{
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < kRoles; ++i)
        if (granted(static_cast<Role>(i), act) >= least) names.push_back(kRoleNames[i]);
    return "needs the role " + joined(names, " or ") +
           (act == Act::maintain ? " of the tenant " + std::string(kLocalTenant) : "");
}

std::string who(const Principal& by)
{
    return by.subject.empty() ? "this caller" : by.subject;
}

bool is_in_scope(const Principal& by, Act act)
{
    return by.scopes.empty() || std::ranges::find(by.scopes, act) != by.scopes.end();
}

[[noreturn]] void forbid(const Principal& by, Act act, Reach reach)
{
    const std::string what = "do this (" + std::string(name_of(act)) + ")";
    if (!is_in_scope(by, act)) {
        std::vector<std::string_view> scopes;
        for (const Act one : by.scopes) scopes.push_back(name_of(one));
        throw Error(Code::forbidden, who(by) + " may not " + what + " with a key that is for " + joined(scopes, ", "));
    }
    if (reach == Reach::own)
        throw Error(Code::forbidden, who(by) + " may " + what + " only to tasks that they created; for others it " +
                                         needed_for(act, Reach::all));
    throw Error(Code::forbidden, who(by) + " may not " + what + ": it " + needed_for(act, Reach::own));
}

}  // namespace

std::string_view name_of(Act act)
{
    return kActNames[static_cast<std::size_t>(act)];
}

std::string_view name_of(Role role)
{
    return kRoleNames[static_cast<std::size_t>(role)];
}

std::optional<Role> find_role(std::string_view name)
{
    const auto found = std::ranges::find(kRoleNames, name);
    if (found == kRoleNames.end()) return std::nullopt;
    return static_cast<Role>(found - kRoleNames.begin());
}

std::optional<Act> find_act(std::string_view name)
{
    const auto found = std::ranges::find(kActNames, name);
    if (found == kActNames.end()) return std::nullopt;
    return static_cast<Act>(found - kActNames.begin());
}

Principal local_user(std::string subject)
{
    return {.subject = std::move(subject), .roles = {Role::admin}};
}

Reach reach_of(const Principal& by, Act act)
{
    if (!is_in_scope(by, act) || (act == Act::maintain && by.tenant != kLocalTenant)) return Reach::none;
    Reach reach = Reach::none;
    for (std::size_t i = 0; i < kRoles; ++i)
        if (by.roles.has(static_cast<Role>(i))) reach = std::max(reach, granted(static_cast<Role>(i), act));
    return reach;
}

std::string visible_tenant(const Principal& by)
{
    return is_mutant(Mutant::other_tenants_seen) ? "" : by.tenant;
}

void expect_tenant(const Principal& by, std::string_view tenant, std::string_view missing)
{
    if (tenant == by.tenant || is_mutant(Mutant::other_tenants_seen)) return;
    throw Error(Code::not_found, std::string(missing));
}

void expect_may(const Principal& by, Act act, const Owned& of, std::string_view missing)
{
    expect_tenant(by, of.tenant, missing);
    const Reach reach = reach_of(by, act);
    // who is nobody in particular owns nothing, not even what nobody in particular has created
    const bool is_own = !by.subject.empty() && of.created_by == by.subject;
    if (reach == Reach::none || (reach == Reach::own && !is_own)) forbid(by, act, reach);
    if (act == Act::approve && is_own && by.four_eyes && !by.roles.has(Role::admin))
        throw Error(Code::forbidden, who(by) + " has created this, and what it asks must be approved by somebody else");
}

void expect_may(const Principal& by, Act act)
{
    expect_may(by, act, Owned{by.tenant, by.subject}, "");
}

}  // namespace cadre::engine
