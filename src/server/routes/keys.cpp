// API keys of a tenant: made, listed, removed by its admins.
#include "base/async.hpp"
#include "base/random.hpp"
#include "home/home_owner.hpp"
#include "model/describe.hpp"
#include "model/tenant_name.hpp"
#include "server/call.hpp"
#include "server/deed.hpp"
#include "server/routes/routes.hpp"
#include "server/service.hpp"
#include "server/sign_in.hpp"

#include <algorithm>
#include <map>

namespace cadre::server {
namespace {

using model::Entity;
using model::field;
using model::Home;

constexpr std::size_t kMostKeys = 1'000;        // of a tenant
constexpr std::size_t kMostKeysRead = 100'000;  // of all of them

/// A key as its tenant's admins see it.
struct KeyView {
    std::optional<std::string> key{};  // only in the answer to whoever made it
    std::string id{};
    std::string tenant{};
    std::string subject{};
    std::vector<std::string> roles{};
    std::vector<std::string> scopes{};
    Time created_at{};
    std::optional<Time> expires_at{};
    std::optional<std::string> last_used{};
};

const Entity& describe(const KeyView*)
{
    static const Entity entity{
        .name = "key_view",
        .doc = "An API key.",
        .fields = {field("key", &KeyView::key, "The key itself: shown once, in the answer that makes it.",
                         {.extension = true}),
                   field("id", &KeyView::id, "The part of the key that may be shown."),
                   field("tenant", &KeyView::tenant, "Whose tasks it is for."),
                   field("subject", &KeyView::subject, "Who has it: recorded with what is done with it."),
                   field("roles", &KeyView::roles, "viewer, user, approver, operator, admin."),
                   field("scopes", &KeyView::scopes, "What it is confined to; empty: what the roles allow."),
                   field("created_at", &KeyView::created_at, "When it was made."),
                   field("expires_at", &KeyView::expires_at, "When it ends; null: never."),
                   field("last_used", &KeyView::last_used, "The last day on which it was used; null: never.")},
        .home = {Home::Kind::message}};
    return entity;
}

struct KeyList {
    std::vector<KeyView> keys{};
};

const Entity& describe(const KeyList*)
{
    static const Entity entity{.name = "key_list",
                               .doc = "The API keys of a tenant, the oldest first.",
                               .fields = {field("keys", &KeyList::keys, "Without their secrets.")},
                               .home = {Home::Kind::message}};
    return entity;
}

struct NewKey {
    std::string subject{};
    std::vector<std::string> roles{};
    std::vector<std::string> scopes{};
    std::optional<std::string> tenant{};
    std::optional<Time> expires_at{};
};

const Entity& describe(const NewKey*)
{
    static const Entity entity{
        .name = "new_key",
        .doc = "Asks for an API key.",
        .fields = {field("subject", &NewKey::subject, "Who will have it: recorded with what is done with it.",
                         {.required = true, .min_length = 1, .max_length = 128}),
                   field("roles", &NewKey::roles, "viewer, user, approver, operator, admin.",
                         {.required = true, .min_length = 1, .max_length = 5, .unique = true}),
                   field("scopes", &NewKey::scopes,
                         "What it is confined to: read, work, reply, approve, change, administer, maintain; empty: "
                         "what the roles allow.",
                         {.max_length = 7, .unique = true}),
                   field("tenant", &NewKey::tenant, "Whose tasks it is for; null: those of who asks."),
                   field("expires_at", &NewKey::expires_at, "When it ends; null: never.")},
        .home = {Home::Kind::message, "the body of `POST /keys`"}};
    return entity;
}

storage::Store& store_of(Call& call)
{
    return call.service().home.runtime().store();
}

KeyView key_view(const StoredKey& key)
{
    return {.id = key.id,
            .tenant = key.tenant,
            .subject = key.subject,
            .roles = key.roles,
            .scopes = key.scopes,
            .created_at = key.created_at,
            .expires_at = key.expires_at};
}

/// Keys of one tenant may be seen and removed by its admins, and by those of the home.
bool may_see(const engine::Principal& by, const std::string& tenant)
{
    return tenant == by.tenant || engine::reach_of(by, engine::Act::maintain) == engine::Reach::all;
}

Async<std::vector<StoredKey>> keys_for(Call& call)
{
    std::vector<StoredKey> keys;
    for (const storage::Document& document :
         co_await store_of(call).list(std::string(kKeyDocument), {}, kMostKeysRead)) {
        auto key = model::from_text<StoredKey>(document.text, {.ignore_unknown = true});
        if (may_see(call.by(), key.tenant)) keys.push_back(std::move(key));
    }
    std::ranges::sort(keys, {}, [](const StoredKey& key) { return std::pair(key.created_at, key.id); });
    co_return keys;
}

Async<KeyList> list_keys(Call& call)
{
    std::map<std::string, std::string> used;
    for (storage::Document& document : co_await store_of(call).list(std::string(kKeyUseDocument), {}, kMostKeysRead))
        used.emplace(std::move(document.key), std::move(document.text));
    KeyList list;
    for (const StoredKey& key : co_await keys_for(call)) {
        KeyView& view = list.keys.emplace_back(key_view(key));
        if (const auto day = used.find(key.id); day != used.end()) view.last_used = day->second;
    }
    co_return list;
}

bool is_among(const std::vector<engine::Act>& acts, std::optional<engine::Act> act)
{
    return act && std::ranges::find(acts, *act) != acts.end();
}

/// Whoever makes a key gives away no more than they have.
void expect_within_scopes(const engine::Principal& by, const NewKey& wanted, model::Problems& problems)
{
    if (by.scopes.empty()) return;
    const model::Path root, scopes(root, "scopes");
    if (wanted.scopes.empty()) problems.add(scopes, "is needed: the key that asks is confined to scopes itself");
    for (std::size_t i = 0; i < wanted.scopes.size(); ++i)
        if (!is_among(by.scopes, engine::find_act(wanted.scopes[i])))
            problems.add(model::Path(scopes, i), "is not a scope of the key that asks");
}

void expect_sound(const Call& call, const NewKey& wanted, Time now)
{
    model::Problems problems;
    const model::Path root, roles(root, "roles"), scopes(root, "scopes");
    for (std::size_t i = 0; i < wanted.roles.size(); ++i)
        if (!engine::find_role(wanted.roles[i]))
            problems.add(model::Path(roles, i), "is not a role: viewer, user, approver, operator, admin");
    for (std::size_t i = 0; i < wanted.scopes.size(); ++i)
        if (!engine::find_act(wanted.scopes[i]))
            problems.add(model::Path(scopes, i),
                         "is not a scope: read, work, reply, approve, change, administer, maintain");
    if (problems.empty()) expect_within_scopes(call.by(), wanted, problems);
    if (std::ranges::any_of(wanted.subject, [](unsigned char c) { return c < ' ' || c == 0x7F; }))
        problems.add(model::Path({}, "subject"), "has a control character");
    if (wanted.tenant && !model::is_tenant_name(*wanted.tenant))
        problems.add(model::Path({}, "tenant"), std::string(model::kTenantRule));
    if (wanted.expires_at && *wanted.expires_at <= now)
        problems.add(model::Path({}, "expires_at"), "is in the past: the key would never be valid");
    if (!problems.empty()) throw BadRequest(std::move(problems));
}

Async<KeyView> create_key(Call& call, NewKey wanted)
{
    const Time now = call.service().loop.clock().now();
    expect_sound(call, wanted, now);
    const std::string tenant = wanted.tenant.value_or(call.by().tenant);
    if (!may_see(call.by(), tenant))
        throw Error(Code::forbidden,
                    "keys of other tenants are made by admins of the tenant " + std::string(engine::kLocalTenant));
    const auto there = co_await keys_for(call);
    if (std::ranges::count(there, tenant, &StoredKey::tenant) >= static_cast<std::ptrdiff_t>(kMostKeys))
        throw Error(Code::limit, "the tenant has 1000 keys; remove those that are not used any more");

    ApiKey key = new_api_key(system_random());
    // whose answer a crash cut off has never seen the secret of the first key: the second takes its place
    if (const auto seed = repeat_hash(call)) {
        std::string id = key_id_from(*seed);
        if (call.cut_off_at() || !co_await store_of(call).find(std::string(kKeyDocument), id)) key.id = std::move(id);
        call.service().sign_in.forget(key.id);
    }
    const StoredKey stored{.id = key.id,
                           .hash = to_hex(key.hash()),
                           .tenant = tenant,
                           .subject = wanted.subject,
                           .roles = wanted.roles,
                           .scopes = wanted.scopes,
                           .created_at = now,
                           .expires_at = wanted.expires_at};
    storage::Document document{std::string(kKeyDocument), key.id, model::to_json_text(stored), now};
    co_await store_of(call).put(std::move(document));
    call.add_header("Location", "/keys/" + key.id);
    KeyView view = key_view(stored);
    call.tell_repeats(model::to_json_text(view));
    view.key = std::string(key.text().reveal());
    co_return view;
}

Async<KeyView> remove_key(Call& call)
{
    const std::string id = call.path("key_id");
    const auto keys = co_await keys_for(call);
    const auto found = std::ranges::find(keys, id, &StoredKey::id);
    if (found == keys.end() && call.cut_off_at()) co_return KeyView{.id = id};
    if (found == keys.end()) throw Error(Code::not_found, "there is no key " + in_quotes(id));
    co_await store_of(call).remove(std::string(kKeyDocument), id);
    call.service().sign_in.forget(id);
    co_await store_of(call).remove(std::string(kKeyUseDocument), id);
    co_return key_view(*found);
}

}  // namespace

std::vector<Route> key_routes()
{
    using engine::Act;
    return {
        typed({.path = "/keys",
               .name = "list_keys",
               .doc = "The API keys of the tenant, without their secrets.",
               .act = Act::administer,
               .rate = RateClass::admin},
              list_keys),
        typed({.method = Method::post,
               .path = "/keys",
               .name = "create_key",
               .doc = "Makes an API key; its text is in this answer and nowhere else.",
               .act = Act::administer,
               .rate = RateClass::admin,
               .success = 201},
              create_key),
        typed({.method = Method::del,
               .path = "/keys/{key_id}",
               .name = "remove_key",
               .doc = "Removes an API key; it is of no use from then on.",
               .act = Act::administer,
               .rate = RateClass::admin},
              remove_key),
    };
}

}  // namespace cadre::server
