// The server: a home over HTTP, on one or several addresses.
#pragma once

#include "base/async_fwd.hpp"
#include "base/log.hpp"
#include "base/metrics.hpp"
#include "base/secret.hpp"
#include "config/server_settings.hpp"
#include "server/auth/api_key.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::home {
class HomeOwner;
}
namespace cadre::net {
class Loop;
}

namespace cadre::server {

/// Everything that is wrong with the settings, with the fix. `is_root`: whether this process may do anything;
/// `jwt_secret`: see server/auth/jwt_settings.hpp.
std::vector<std::string> faults_of(const config::ServerSettings& settings, bool is_root, const Secret& jwt_secret);

/// Lives on its loop; the home outlives it. drain() before it dies.
class Server {
public:
    /// Listens at once. `admin` is needed unless the settings ask nobody who they are. `descriptors`: sockets that listen already, one
    /// for each address of the settings; empty: it opens them itself. Throws Error(unavailable) when it cannot listen.
    Server(net::Loop& loop, home::HomeOwner& home, const config::ServerSettings& settings, std::optional<ApiKey> admin,
           Log log, std::string version, const std::vector<int>& descriptors = {});
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();

    /// One for each address, in their order: `http://127.0.0.1:8080`.
    std::vector<std::string> urls() const;
    /// From now on it is ready.
    void open();
    /// What the settings and the admin's key are from now on; certificates are read again. Requests and streams under way stay. Returns
    /// the settings that have changed and need another start. Throws Error(invalid), and all stays as it was.
    std::vector<std::string> reload(config::ServerSettings settings, std::optional<ApiKey> admin);
    /// Tells everybody that it leaves: what streams ends, what waits is answered, nothing new begins. Requests under way have the
    /// settings' time to end.
    Async<> drain();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::server
