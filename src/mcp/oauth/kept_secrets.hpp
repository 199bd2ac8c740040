// Secrets for MCP servers that are kept in the home, in a file of its own that nobody else may read.
#pragma once

#include "base/async_fwd.hpp"
#include "base/secret.hpp"
#include "base/time.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre {
class ThreadPool;
}

namespace cadre::mcp::oauth {

/// Whom a secret is kept for. All of it must be as it was: an entry of the same name that points elsewhere, or would have the secret sent
/// elsewhere, gets nothing.
struct KeptFor {
    std::string server{};  // the entry's name
    std::string url{};     // resource_of() its address
    std::string token_url{};
    std::string client_id{};

    bool operator==(const KeptFor&) const = default;
};

struct Kept {
    Secret bearer{};  // a token that somebody gave us
    Secret client_secret{};
    Secret private_key{};
    std::string issuer{};   // to whom our secret was sent
    Secret access_token{};  // that was granted
    std::string scope{};
    Time expires{};
};

struct Record {
    KeptFor whom{};
    Kept kept{};
};

/// Safe with other programs that do the same. Blocking work is done on a thread of its own; dies before the loop.
class KeptSecrets {
public:
    explicit KeptSecrets(const std::filesystem::path& home);
    KeptSecrets(const KeptSecrets&) = delete;
    KeptSecrets& operator=(const KeptSecrets&) = delete;
    ~KeptSecrets();

    /// Throws Error(forbidden) when others may read or change the file, Error(malformed) when it is not as we wrote it.
    Async<std::optional<Kept>> find(KeptFor whom);
    /// In place of what was kept for the server of that name and address.
    Async<> keep(KeptFor whom, Kept kept);
    /// Only what was granted, by whom and until when; secrets stay as they are.
    Async<> keep_grant(KeptFor whom, Kept granted);
    /// All that is kept for a server by that name; whether there was anything.
    Async<bool> forget(std::string server);

    const std::filesystem::path& file() const { return file_; }

private:
    /// Alone with the file.
    Async<> change(std::function<void(std::vector<Record>&)> change);
    ThreadPool& pool();

    std::filesystem::path file_;
    std::unique_ptr<ThreadPool> pool_;
};

}  // namespace cadre::mcp::oauth
