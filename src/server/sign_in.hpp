// Who sends a request: an API key, a token of an issuer, or nobody where the server asks nobody.
#pragma once

#include "base/async_fwd.hpp"
#include "base/secret.hpp"
#include "base/time.hpp"
#include "engine/principal.hpp"
#include "net/http_request_parser.hpp"
#include "server/auth/api_key.hpp"
#include "server/auth/token_sign_in.hpp"
#include "storage/store.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model {
struct Entity;
}

namespace cadre::server {

/// A key as it is stored: without its secret.
struct StoredKey {
    std::string id{};
    std::string hash{};  // of the secret, hex
    std::string tenant{engine::kLocalTenant};
    std::string subject{};
    std::vector<std::string> roles{};
    std::vector<std::string> scopes{};  // acts that it is confined to; empty: whatever the roles allow
    Time created_at{};
    std::optional<Time> expires_at{};

    bool operator==(const StoredKey&) const = default;
};
const model::Entity& describe(const StoredKey*);

/// Kind of the documents that keys are, by their id.
inline constexpr std::string_view kKeyDocument = "api_key";
/// The last day on which a key was used: apart from the key, so that noting it cannot bring a key back that is being removed.
inline constexpr std::string_view kKeyUseDocument = "api_key_use";

/// 401. Who sent the request hears only its text.
class SignInRefusal : public net::HttpRefusal {
public:
    /// `reason` is for logs and the audit: missing, malformed, unknown_key, wrong_secret, expired, or what a JwtReason is called.
    SignInRefusal(std::string reason, const std::string& text);

    const std::string& reason() const { return reason_; }
    /// Whether something was shown that is not good, so that it may be a guess.
    bool is_guess() const { return reason_ != "missing"; }

private:
    std::string reason_;
};

/// The token of the home's admin, in `server/token` of the home: made when there is none yet.
struct AdminToken {
    ApiKey key{};
    std::filesystem::path file{};
    bool is_new = false;
};
AdminToken admin_token(const std::filesystem::path& home);

/// Lives on its loop; the store outlives it.
class SignIn {
public:
    /// Without a token everybody is the admin.
    SignIn(storage::Store& store, std::optional<ApiKey> admin, const Clock& clock);

    /// From now on tokens of an issuer are good too.
    void accept(std::unique_ptr<TokenSignIn> tokens) { tokens_ = std::move(tokens); }
    /// From now on nobody but an admin approves what they have created, or everybody does.
    void want_four_eyes(bool wanted = true) { four_eyes_ = wanted; }
    /// From now on this is the admin's key, where one was needed before.
    void change_admin(ApiKey admin)
    {
        if (admin_) admin_ = std::move(admin);
    }

    /// Throws SignInRefusal where no good credentials come with the request, HttpRefusal(400) for more than one of them, and
    /// Error(unavailable) while tokens cannot be checked.
    Async<engine::Principal> who(const net::HttpHead& head);
    /// The same for a token that came another way.
    Async<engine::Principal> who(std::string token);

    /// A key was removed.
    void forget(const std::string& id);
    /// What is wrong with the keys of tokens, for health; empty: nothing.
    std::string trouble() const { return tokens_ ? tokens_->trouble() : std::string(); }

private:
    Async<engine::Principal> holder_of(ApiKey key);
    Async<std::optional<StoredKey>> find(std::string id);
    Async<> note_use(std::string id);

    storage::Store& store_;
    std::optional<ApiKey> admin_;
    const Clock& clock_;
    std::shared_ptr<TokenSignIn> tokens_;  // null: only keys; who is being looked at keeps what is replaced
    bool four_eyes_ = false;
    std::map<std::string, StoredKey> known_;      // that were asked for
    std::map<std::string, std::string> used_on_;  // the day that was noted
    std::uint64_t removals_ = 0;                  // so far: what was read before one may be gone
};

}  // namespace cadre::server
