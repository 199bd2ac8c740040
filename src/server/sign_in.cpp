#include "server/sign_in.hpp"

#include "base/ascii.hpp"
#include "base/async.hpp"
#include "base/hex.hpp"
#include "base/random.hpp"
#include "base/trim.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"
#include "storage/files.hpp"

#include <algorithm>

namespace cadre::server {
namespace {

constexpr std::size_t kMostKnownKeys = 10'000;

[[noreturn]] void refuse_sign_in(std::string reason)
{
    throw SignInRefusal(std::move(reason), "the token is not valid");
}

/// `2026-11-18`
std::string day_of(Time time)
{
    return to_iso(time).substr(0, 10);
}

engine::Principal principal_of(const StoredKey& key)
{
    engine::Principal by{.tenant = key.tenant, .subject = key.subject};
    for (const std::string& name : key.roles)
        if (const auto role = engine::find_role(name)) by.roles.add(*role);
    for (const std::string& name : key.scopes)
        if (const auto act = engine::find_act(name)) by.scopes.push_back(*act);
    return by;
}

}  // namespace

const model::Entity& describe(const StoredKey*)
{
    using namespace model;
    static const Entity entity{
        .name = "api_key",
        .doc = "An API key, without its secret.",
        .fields = {field("id", &StoredKey::id, "The part of the key that may be shown.", {.required = true}),
                   field("hash", &StoredKey::hash, "SHA-256 of the secret.", {.required = true}),
                   field("tenant", &StoredKey::tenant, "Whose tasks it is for."),
                   field("subject", &StoredKey::subject, "Who has it: recorded with what is done with it."),
                   field("roles", &StoredKey::roles, "viewer, user, approver, operator, admin."),
                   field("scopes", &StoredKey::scopes, "What it is confined to; empty: what the roles allow."),
                   field("created_at", &StoredKey::created_at, "When it was made."),
                   field("expires_at", &StoredKey::expires_at, "When it ends; null: never.")},
        .home = {Home::Kind::inside}};
    return entity;
}

AdminToken admin_token(const std::filesystem::path& home)
{
    AdminToken token{.file = home / "server" / "token"};
    if (const auto text = storage::find_file(token.file)) {
        const auto key = find_api_key(trimmed(*text));
        if (!key)
            throw Error(Code::invalid,
                        token.file.string() + " does not hold a token; remove the file to have a new one made");
        token.key = *key;
        return token;
    }
    token.key = new_api_key(system_random());
    token.is_new = true;
    storage::make_private_folder(token.file.parent_path());
    storage::write_private_file(token.file, std::string(token.key.text().reveal()) + "\n");
    return token;
}

SignInRefusal::SignInRefusal(std::string reason, const std::string& text)
    : HttpRefusal(401, Code::unauthorized, text, {{"WWW-Authenticate", "Bearer"}}), reason_(std::move(reason))
{}

SignIn::SignIn(storage::Store& store, std::optional<ApiKey> admin, const Clock& clock)
    : store_(store), admin_(std::move(admin)), clock_(clock)
{}

Async<engine::Principal> SignIn::who(const net::HttpHead& head)
{
    constexpr std::string_view kBearer = "bearer ";
    const auto is_it = [](const net::HttpHeader& header) { return same_in_any_case(header.name, "Authorization"); };
    if (std::ranges::count_if(head.headers, is_it) > 1)
        throw net::HttpRefusal(400, Code::malformed, "the request has several Authorization headers");
    if (!admin_) co_return engine::local_user("local");
    const auto given = net::find_header(head.headers, "Authorization");
    if (!given) throw SignInRefusal("missing", "a bearer token is needed in the header Authorization");
    if (!same_in_any_case(given->substr(0, kBearer.size()), kBearer))
        throw SignInRefusal("malformed", "the header Authorization must hold a bearer token");
    co_return co_await who(std::string(trimmed(given->substr(kBearer.size()))));
}

Async<engine::Principal> SignIn::who(std::string token)
{
    if (!admin_) co_return engine::local_user("local");
    engine::Principal by;
    if (auto key = find_api_key(token)) {
        by = co_await holder_of(std::move(*key));
    } else if (const auto tokens = tokens_) {
        const auto found = co_await tokens->who(std::move(token));
        if (const auto* why = std::get_if<JwtReason>(&found)) refuse_sign_in(std::string(name_of(*why)));
        by = std::get<TokenHolder>(found).by;
    } else {
        refuse_sign_in("malformed");
    }
    by.four_eyes = four_eyes_;
    co_return by;
}

Async<engine::Principal> SignIn::holder_of(ApiKey key)
{
    if (key.id == admin_->id) {
        if (!matches(key, admin_->hash())) refuse_sign_in("wrong_secret");
        co_return engine::local_user("admin");
    }
    const auto stored = co_await find(key.id);
    Hash hash{};
    if (!stored || !read_hex(stored->hash, hash)) refuse_sign_in("unknown_key");
    if (!matches(key, hash)) refuse_sign_in("wrong_secret");
    if (stored->expires_at && clock_.now() >= *stored->expires_at)
        throw SignInRefusal("expired", "the token has expired");
    co_await note_use(key.id);
    co_return principal_of(*stored);
}

Async<std::optional<StoredKey>> SignIn::find(std::string id)
{
    if (const auto known = known_.find(id); known != known_.end()) co_return known->second;
    const std::uint64_t removals = removals_;
    const auto document = co_await store_.find(std::string(kKeyDocument), id);
    if (!document) co_return std::nullopt;
    auto key = model::from_text<StoredKey>(document->text, {.ignore_unknown = true});
    if (removals != removals_) co_return key;  // maybe this one: it is looked up again the next time
    if (known_.size() >= kMostKnownKeys) known_.clear();
    known_.emplace(std::move(id), key);
    co_return key;
}

void SignIn::forget(const std::string& id)
{
    ++removals_;
    known_.erase(id);
    used_on_.erase(id);
}

/// By day, so that reading stays reading: one write for the first request of a day.
Async<> SignIn::note_use(std::string id)
{
    const Time now = clock_.now();
    std::string day = day_of(now);
    if (used_on_.size() >= kMostKnownKeys) used_on_.clear();
    std::string& noted = used_on_[id];
    if (noted == day) co_return;
    noted = day;
    storage::Document use{std::string(kKeyUseDocument), std::move(id), std::move(day), now};
    co_await store_.put(std::move(use));
}

}  // namespace cadre::server
