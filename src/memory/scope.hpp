// Scopes: whose memory a note belongs to, and so who may ever read it.
#pragma once

#include "model/type.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::memory {

enum class ScopeKind : std::uint8_t {
    task,     // until the task is removed
    session,  // of one user: another's session of the same name is another one
    user,     // whatever their agents work on
    agent,    // of one user, in one project
    team,     // of a project: whoever runs that team reads it
};
std::span<const model::EnumName> names_of(const ScopeKind*);

struct Scope {
    std::string tenant{};
    ScopeKind kind = ScopeKind::user;
    std::string user{};     // empty: a team's or a task's
    std::string project{};  // of agents and teams
    std::string name{};     // of the task, session, agent or team

    bool operator==(const Scope&) const = default;
};
const model::Entity& describe(const Scope*);

/// On whose behalf memory is used. What is empty has no memory of its own.
struct Reader {
    std::string tenant{};
    std::string user{};
    std::string session{};
    std::string task{};
    std::string project{};
    std::string team{};
    std::string agent{};
};

/// The scopes that there are for that reader, the widest last. Nothing of another tenant, and only the team's of other users.
std::vector<Scope> readable(const Reader& reader);

/// Where a note goes: the scope that is asked for by its name; else the user's, the session's, the task's, whichever there is first. Throws
/// Error(invalid) for a scope that does not exist, or that this reader has not.
Scope scope_for(const Reader& reader, std::string_view asked);

/// How the keys of documents begin: of everything in a tenant, of everything that is one user's, of one scope. Names are hashed, so that no
/// name can end up in another's keys.
std::string key_of_tenant(std::string_view tenant);
std::string key_of_user(std::string_view tenant, std::string_view user);
std::string key_of(const Scope& scope);

}  // namespace cadre::memory
