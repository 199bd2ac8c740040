#include "server/home_secret.hpp"

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "base/trim.hpp"
#include "storage/files.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace cadre::server {

std::string home_secret(const std::filesystem::path& home)
{
    constexpr std::size_t kDigits = 64;
    const std::filesystem::path file = home / "server" / "secret";
    if (const auto text = storage::find_file(file)) {
        std::string secret(trimmed(*text));
        if (secret.size() != kDigits)
            throw Error(Code::invalid, file.string() + " does not hold a secret; remove the file to have one made");
        return secret;
    }
    std::array<std::uint8_t, kDigits / 2> bytes{};
    system_random().fill(std::as_writable_bytes(std::span(bytes)));
    std::string secret;
    append_hex(secret, bytes);
    storage::make_private_folder(file.parent_path());
    storage::write_private_file(file, secret + "\n");
    return secret;
}

}  // namespace cadre::server
