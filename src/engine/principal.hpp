// Who asks. Every door makes a Principal of what it knows (a socket's user, a key, a token) and hands it to Commands and Queries,
// where it is checked: here is the only place that says who may do what.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {

/// The tenant of a home that has only one.
inline constexpr std::string_view kLocalTenant = "local";

enum class Role : std::uint8_t {
    viewer,    // reads everything of the tenant
    user,      // works on tasks of their own
    approver,  // reads everything, answers questions
    steward,   // works on and changes all tasks of the tenant; `operator` on the wire, which C++ keeps for itself
    admin,     // everything
};

/// What somebody wants to do; each verb is one of these.
enum class Act : std::uint8_t {
    read,        // tasks, events, sessions
    work,        // create, start, pause, resume, step, continue, instruct, breakpoints, cancel, a session's turns
    reply,       // answer a question of type feedback
    approve,     // answer an approval, an escalation, an unknown outcome
    change,      // fork, import, budgets, other interventions, removing what has ended
    administer,  // the tenant: keys, the audit
    maintain,    // the home as a whole: upkeep, metrics, reload; admins of the tenant `local` only
};
std::string_view name_of(Act act);

/// As on the wire: "operator".
std::string_view name_of(Role role);
/// Nothing: there is no such role.
std::optional<Role> find_role(std::string_view name);
/// Nothing: there is no such act.
std::optional<Act> find_act(std::string_view name);

class Roles {
public:
    constexpr Roles() = default;
    constexpr Roles(std::initializer_list<Role> roles)
    {
        for (const Role role : roles) add(role);
    }
    constexpr void add(Role role) { bits_ |= bit(role); }
    constexpr bool has(Role role) const { return (bits_ & bit(role)) != 0; }

    bool operator==(const Roles&) const = default;

private:
    static constexpr std::uint8_t bit(Role role)
    {
        return static_cast<std::uint8_t>(1U << static_cast<unsigned>(role));
    }

    std::uint8_t bits_ = 0;
};

struct Principal {
    std::string tenant{kLocalTenant};
    std::string subject{};      // who: it is recorded with what they do; empty: nobody in particular
    Roles roles{};              // none: may do nothing
    std::vector<Act> scopes{};  // what a key is confined to; empty: whatever the roles allow
    bool four_eyes = false;     // may not approve what they have created themselves, unless they are an admin

    bool operator==(const Principal&) const = default;
};

/// The person at this machine, who may do everything in a home of one tenant.
Principal local_user(std::string subject);

/// How far somebody's roles and scopes go, for lists that show only what they may see.
enum class Reach : std::uint8_t {
    none,
    own,  // what they have created
    all,  // of their tenant
};
Reach reach_of(const Principal& by, Act act);
/// The one whose lists they see.
std::string visible_tenant(const Principal& by);

/// What somebody wants to do something to: whose it is. `tenant` is compared first.
struct Owned {
    std::string_view tenant{};
    std::string_view created_by{};
};

/// Throws Error(not_found) with `missing` as its text when it is another tenant's, as if it did not exist.
void expect_tenant(const Principal& by, std::string_view tenant, std::string_view missing);
/// Throws Error(not_found) with `missing` as its text when it is another tenant's, as if it did not exist, and Error(forbidden) that
/// names the act when the roles or scopes do not allow it.
void expect_may(const Principal& by, Act act, const Owned& of, std::string_view missing);
/// The same where there is nothing yet that could be somebody's: `by` makes it, and it will be theirs.
void expect_may(const Principal& by, Act act);

}  // namespace cadre::engine
