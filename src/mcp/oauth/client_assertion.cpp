#include "mcp/oauth/client_assertion.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <memory>

namespace cadre::mcp::oauth {

namespace {

constexpr std::chrono::seconds kLifetime{120};
constexpr int kSmallestRsa = 2048;

template <auto Free>
struct Freed {
    template <class T>
    void operator()(T* object) const
    {
        Free(object);
    }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Digest = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;
using Bio = std::unique_ptr<BIO, Freed<BIO_free>>;

[[noreturn]] void refuse(const char* why)
{
    ERR_clear_error();  // OpenSSL's own words may be about the key
    throw Error(Code::invalid, why);
}

Key key_from(const Secret& pem)
{
    const std::string_view text = pem.reveal();
    const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    // a key with a passphrase is refused here, instead of asking whoever sits at the terminal
    const auto no_passphrase = [](char*, int, int, void*) { return -1; };
    Key key(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, nullptr) : nullptr);
    if (!key)
        refuse(
            "the private key is no PEM file of a key without a passphrase (openssl pkcs8 -topk8 -nocrypt makes one)");
    return key;
}

bool is_p256(EVP_PKEY* key)
{
    std::array<char, 64> group{};
    std::size_t length = 0;
    return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
           EVP_PKEY_get_group_name(key, group.data(), group.size(), &length) == 1 &&
           std::string_view(group.data(), length) == "prime256v1";
}

std::string sign(EVP_PKEY* key, std::string_view text)
{
    const Digest digest(EVP_MD_CTX_new());
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    if (!digest || EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, key) != 1 ||
        EVP_DigestSign(digest.get(), nullptr, &size, bytes, text.size()) != 1)
        refuse("the private key cannot sign");
    std::string signature(size, '\0');
    if (EVP_DigestSign(digest.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size()) !=
        1)
        refuse("the private key cannot sign");
    signature.resize(size);
    return signature;
}

/// JWS wants both numbers side by side, OpenSSL writes them as DER.
std::string plain(const std::string& der)
{
    const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
    const Signature read(d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(der.size())));
    std::array<unsigned char, 64> both{};
    if (!read || BN_bn2binpad(ECDSA_SIG_get0_r(read.get()), both.data(), 32) != 32 ||
        BN_bn2binpad(ECDSA_SIG_get0_s(read.get()), both.data() + 32, 32) != 32)
        refuse("the private key cannot sign");
    return {both.begin(), both.end()};
}

}  // namespace

std::string signed_assertion(const Assertion& assertion, const Secret& private_key)
{
    const Key key = key_from(private_key);
    const bool p256 = is_p256(key.get());
    if (!p256 && (EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA || EVP_PKEY_get_bits(key.get()) < kSmallestRsa))
        refuse("the private key must be one on the curve P-256, or of RSA with at least 2048 bits");
    const auto seconds = std::chrono::floor<std::chrono::seconds>(assertion.now).time_since_epoch().count();
    const json::object header{{"alg", p256 ? "ES256" : "RS256"}, {"typ", "JWT"}};
    const json::object claims{{"iss", assertion.client_id},
                              {"sub", assertion.client_id},
                              {"aud", assertion.audience},
                              {"jti", assertion.id},
                              {"iat", seconds},
                              {"exp", seconds + kLifetime.count()}};
    const std::string text = to_base64url(cadre::to_text(header)) + "." + to_base64url(cadre::to_text(claims));
    const std::string signature = sign(key.get(), text);
    return text + "." + to_base64url(p256 ? plain(signature) : signature);
}

}  // namespace cadre::mcp::oauth
