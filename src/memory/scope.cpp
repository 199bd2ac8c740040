#include "memory/scope.hpp"

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "model/describe.hpp"
#include "model/wire_name.hpp"

#include <fmt/format.h>

#include <initializer_list>

namespace cadre::memory {

using model::field;
namespace {

/// Sixteen hex digits of all of them, each with its length before it.
std::string short_hash(std::initializer_list<std::string_view> parts)
{
    Sha256 hash;
    for (const std::string_view part : parts) hash.add(fmt::format("{}:", part.size())).add(part);
    return to_hex(hash.finish()).substr(0, 16);
}

/// Nothing: the reader has none of that kind.
bool find_scope(const Reader& reader, ScopeKind kind, Scope& scope)
{
    scope = {.tenant = reader.tenant, .kind = kind, .user = reader.user};
    switch (kind) {
    case ScopeKind::task:
        scope.user.clear();  // the id is enough, and whoever removes a task need not know whose it was
        scope.name = reader.task;
        return !reader.task.empty();
    case ScopeKind::session: scope.name = reader.session; return !reader.session.empty();
    case ScopeKind::user: return !reader.user.empty();
    case ScopeKind::agent:
        scope.project = reader.project;
        scope.name = reader.agent;
        return !reader.agent.empty();
    case ScopeKind::team:
        scope.user.clear();
        scope.project = reader.project;
        scope.name = reader.team;
        return !reader.team.empty();
    }
    return false;
}

}  // namespace

std::span<const model::EnumName> names_of(const ScopeKind*)
{
    static constexpr model::EnumName names[] = {{int(ScopeKind::task), "task"},
                                                {int(ScopeKind::session), "session"},
                                                {int(ScopeKind::user), "user"},
                                                {int(ScopeKind::agent), "agent"},
                                                {int(ScopeKind::team), "team"}};
    return names;
}

const model::Entity& describe(const Scope*)
{
    static const model::Entity entity{
        "memory_scope",
        "Whose memory it is.",
        {field("tenant", &Scope::tenant, "Whose home."),
         field("kind", &Scope::kind, "Of a task, a session, a user, an agent or a team.", {.required = true}),
         field("user", &Scope::user, "Who; empty: all who run the team, or the task."),
         field("project", &Scope::project, "The folder that the agent or team is defined in."),
         field("name", &Scope::name, "Of the task, session, agent or team.")}};
    return entity;
}

std::vector<Scope> readable(const Reader& reader)
{
    std::vector<Scope> scopes;
    for (const ScopeKind kind :
         {ScopeKind::task, ScopeKind::session, ScopeKind::user, ScopeKind::agent, ScopeKind::team})
        if (Scope scope; find_scope(reader, kind, scope)) scopes.push_back(std::move(scope));
    return scopes;
}

Scope scope_for(const Reader& reader, std::string_view asked)
{
    Scope scope;
    if (asked.empty()) {
        for (const ScopeKind kind : {ScopeKind::user, ScopeKind::session, ScopeKind::task})
            if (find_scope(reader, kind, scope)) return scope;
        throw Error(Code::invalid, "there is no user, session or task whose memory this could be");
    }
    const auto kind = model::find_named<ScopeKind>(asked);
    if (!kind)
        throw Error(
            Code::invalid,
            fmt::format("{} is not a scope of memory; there are task, session, user, agent, team", in_quotes(asked)));
    if (find_scope(reader, *kind, scope)) return scope;
    throw Error(Code::invalid, fmt::format("there is no {} here whose memory this could be", asked));
}

std::string key_of_tenant(std::string_view tenant)
{
    return short_hash({tenant}) + '/';
}

std::string key_of_user(std::string_view tenant, std::string_view user)
{
    return key_of_tenant(tenant) + short_hash({tenant, user}) + '/';
}

std::string key_of(const Scope& scope)
{
    return key_of_user(scope.tenant, scope.user) +
           short_hash({model::wire_name(scope.kind), scope.project, scope.name}) + '/';
}

}  // namespace cadre::memory
