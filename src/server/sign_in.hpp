// Who sends a request: an API key, or nobody where the server asks nobody.
#pragma once

#include "base/async_fwd.hpp"
#include "base/secret.hpp"
#include "base/time.hpp"
#include "engine/principal.hpp"
#include "net/http_request_parser.hpp"
#include "server/auth/api_key.hpp"
#include "storage/store.hpp"

#include <filesystem>
#include <map>
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

    /// Throws HttpRefusal: 401 where no good credentials come with the request, 400 for more than one of them.
    Async<engine::Principal> who(const net::HttpHead& head);
    /// The same for a token that came another way.
    Async<engine::Principal> who(std::string token);

    /// A key was stored or removed.
    void forget(const std::string& id) { known_.erase(id); }

private:
    Async<std::optional<StoredKey>> find(std::string id);

    storage::Store& store_;
    std::optional<ApiKey> admin_;
    const Clock& clock_;
    std::map<std::string, StoredKey> known_;  // that were asked for
};

}  // namespace cadre::server
