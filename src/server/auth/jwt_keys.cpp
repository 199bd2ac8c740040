#include "server/auth/jwt_keys.hpp"

#include "base/error.hpp"
#include "base/hex.hpp"

#include <algorithm>
#include <array>
#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <span>
#include <utility>

namespace cadre::server {
namespace {

constexpr std::array<std::string_view, 4> kAlgorithmNames = {"EdDSA", "ES256", "RS256", "HS256"};

constexpr std::size_t kP256Bytes = 32;
constexpr std::size_t kEd25519Bytes = 32;
constexpr std::size_t kLeastSecret = 32;
constexpr int kLeastRsaBits = 2048;
constexpr int kMostRsaBits = 8192;  // a larger one would be a way to keep us busy
constexpr std::size_t kMostExponent = 4;

struct KeyFreeing {
    void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
    void operator()(EVP_PKEY_CTX* context) const { ::EVP_PKEY_CTX_free(context); }
    void operator()(EVP_MD_CTX* context) const { ::EVP_MD_CTX_free(context); }
    void operator()(OSSL_PARAM_BLD* builder) const { ::OSSL_PARAM_BLD_free(builder); }
    void operator()(OSSL_PARAM* params) const { ::OSSL_PARAM_free(params); }
    void operator()(BIGNUM* number) const { ::BN_free(number); }
    void operator()(BIO* bio) const { ::BIO_free(bio); }
    void operator()(ECDSA_SIG* signature) const { ::ECDSA_SIG_free(signature); }
};
template <class T>
using Owned = std::unique_ptr<T, KeyFreeing>;

const unsigned char* bytes_of(std::string_view text)
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

Owned<BIGNUM> number_of(std::string_view bytes)
{
    return Owned<BIGNUM>(::BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

[[noreturn]] void refuse_key(const std::string& why)
{
    throw Error(Code::invalid, "the key " + why);
}

Owned<EVP_PKEY> public_key(const char* kind, OSSL_PARAM_BLD* parts)
{
    const Owned<OSSL_PARAM> params(::OSSL_PARAM_BLD_to_param(parts));
    const Owned<EVP_PKEY_CTX> context(::EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
    EVP_PKEY* made = nullptr;
    if (!params || !context || ::EVP_PKEY_fromdata_init(context.get()) != 1 ||
        ::EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, params.get()) != 1)
        return nullptr;
    return Owned<EVP_PKEY>(made);
}

/// Points of small order, without the bit of their sign: under such a key anybody can sign anything.
bool has_small_order(std::string_view x)
{
    constexpr std::string_view kPoints[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    };
    std::string unsigned_x(x);
    unsigned_x.back() = static_cast<char>(unsigned_x.back() & 0x7F);
    return std::ranges::any_of(kPoints, [&](std::string_view digits) {
        std::array<std::uint8_t, kEd25519Bytes> point;
        return read_hex(digits, point) &&
               std::ranges::equal(point, unsigned_x, {}, {}, [](char c) { return static_cast<std::uint8_t>(c); });
    });
}

/// What a public key can check; throws for one that can check nothing we know, or is weak.
JwtAlgorithm algorithm_of(EVP_PKEY* key)
{
    if (::EVP_PKEY_is_a(key, "ED25519")) {
        std::string x(kEd25519Bytes, '\0');
        std::size_t size = x.size();
        ::EVP_PKEY_get_raw_public_key(key, reinterpret_cast<unsigned char*>(x.data()), &size);
        if (has_small_order(x)) refuse_key("is a point of small order, under which anybody can sign");
        return JwtAlgorithm::eddsa;
    }
    if (::EVP_PKEY_is_a(key, "EC")) {
        std::array<char, 32> group{};
        ::EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, group.data(), group.size(), nullptr);
        if (std::string_view(group.data()) != "prime256v1") refuse_key("is on another curve than P-256");
        return JwtAlgorithm::es256;
    }
    if (!::EVP_PKEY_is_a(key, "RSA")) refuse_key("is neither Ed25519 nor P-256 nor RSA");
    const int bits = ::EVP_PKEY_get_bits(key);
    if (bits < kLeastRsaBits)
        refuse_key("is RSA of " + std::to_string(bits) + " bits, which is weaker than " +
                   std::to_string(kLeastRsaBits));
    if (bits > kMostRsaBits) refuse_key("is RSA of more than " + std::to_string(kMostRsaBits) + " bits");
    BIGNUM* exponent = nullptr;
    ::EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent);
    const Owned<BIGNUM> e(exponent);
    if (!e || !::BN_is_odd(e.get()) || ::BN_get_word(e.get()) < 65'537 ||
        static_cast<std::size_t>(BN_num_bytes(e.get())) > kMostExponent)
        refuse_key("has an exponent that is not an odd number from 65537 to 32 bits");
    return JwtAlgorithm::rs256;
}

/// r and s behind one another, as tokens have them, in the form that OpenSSL reads.
std::optional<std::string> der_signature(std::string_view raw)
{
    if (raw.size() != 2 * kP256Bytes) return std::nullopt;
    const Owned<ECDSA_SIG> signature(::ECDSA_SIG_new());
    Owned<BIGNUM> r = number_of(raw.substr(0, kP256Bytes));
    Owned<BIGNUM> s = number_of(raw.substr(kP256Bytes));
    if (::ECDSA_SIG_set0(signature.get(), r.get(), s.get()) != 1) return std::nullopt;
    r.release();  // both are the signature's now
    s.release();
    std::array<unsigned char, 80> der;
    unsigned char* end = der.data();
    const int size = ::i2d_ECDSA_SIG(signature.get(), &end);
    if (size <= 0) return std::nullopt;
    return std::string(reinterpret_cast<const char*>(der.data()), static_cast<std::size_t>(size));
}

}  // namespace

std::string_view name_of(JwtAlgorithm algorithm)
{
    return kAlgorithmNames.at(static_cast<std::size_t>(algorithm));
}

struct JwtKey::Impl {
    JwtAlgorithm algorithm = JwtAlgorithm::hs256;
    Owned<EVP_PKEY> key{};
    Secret secret{};

    static JwtKey of(Owned<EVP_PKEY> key, const char* what)
    {
        if (!key) refuse_key(std::string("is not ") + what);
        const JwtAlgorithm algorithm = algorithm_of(key.get());
        const Owned<EVP_PKEY_CTX> context(::EVP_PKEY_CTX_new(key.get(), nullptr));
        if (algorithm != JwtAlgorithm::eddsa && ::EVP_PKEY_public_check(context.get()) != 1)
            refuse_key(std::string("is not ") + what);
        return JwtKey(std::make_shared<const Impl>(Impl{algorithm, std::move(key)}));
    }
    bool verifies_mac(std::string_view text, std::string_view signature) const
    {
        std::array<unsigned char, EVP_MAX_MD_SIZE> mac;
        unsigned size = 0;
        const std::string_view shared = secret.reveal();
        ::HMAC(::EVP_sha256(), shared.data(), static_cast<int>(shared.size()), bytes_of(text), text.size(), mac.data(),
               &size);
        return signature.size() == size && ::CRYPTO_memcmp(mac.data(), signature.data(), size) == 0;
    }
    bool verifies_signature(std::string_view text, std::string_view signature) const
    {
        const Owned<EVP_MD_CTX> context(::EVP_MD_CTX_new());
        const EVP_MD* const digest = algorithm == JwtAlgorithm::eddsa ? nullptr : ::EVP_sha256();
        return ::EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key.get()) == 1 &&
               ::EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(text), text.size()) ==
                   1;
    }
};

JwtKey JwtKey::ed25519(std::string_view x)
{
    Owned<EVP_PKEY> key;
    if (x.size() == kEd25519Bytes)
        key.reset(::EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(x), x.size()));
    return Impl::of(std::move(key), "a key of Ed25519");
}

JwtKey JwtKey::p256(std::string_view x, std::string_view y)
{
    if (x.size() != kP256Bytes || y.size() != kP256Bytes) refuse_key("is not a point of P-256");
    const std::string point = "\x04" + std::string(x) + std::string(y);
    const Owned<OSSL_PARAM_BLD> parts(::OSSL_PARAM_BLD_new());
    ::OSSL_PARAM_BLD_push_utf8_string(parts.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
    ::OSSL_PARAM_BLD_push_octet_string(parts.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
    return Impl::of(public_key("EC", parts.get()), "a point of P-256");
}

JwtKey JwtKey::rsa(std::string_view n, std::string_view e)
{
    if (n.size() > kMostRsaBits / 8) refuse_key("is RSA of more than " + std::to_string(kMostRsaBits) + " bits");
    if (e.size() > kMostExponent) refuse_key("has an exponent that is not an odd number from 65537 to 32 bits");
    const Owned<BIGNUM> modulus = number_of(n), exponent = number_of(e);
    const Owned<OSSL_PARAM_BLD> parts(::OSSL_PARAM_BLD_new());
    ::OSSL_PARAM_BLD_push_BN(parts.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get());
    ::OSSL_PARAM_BLD_push_BN(parts.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get());
    return Impl::of(public_key("RSA", parts.get()), "a key of RSA");
}

JwtKey JwtKey::pem(std::string_view text)
{
    const Owned<BIO> bio(::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    return Impl::of(Owned<EVP_PKEY>(::PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr)),
                    "a public key as PEM");
}

JwtKey JwtKey::secret(const Secret& secret)
{
    if (secret.reveal().size() < kLeastSecret)
        throw Error(Code::invalid, "the secret for tokens has fewer than 32 bytes; openssl rand -base64 32 makes one");
    return JwtKey(std::make_shared<const Impl>(Impl{JwtAlgorithm::hs256, nullptr, secret}));
}

JwtAlgorithm JwtKey::algorithm() const
{
    return impl_->algorithm;
}

bool JwtKey::verifies(std::string_view text, std::string_view signature) const
{
    if (impl_->algorithm == JwtAlgorithm::hs256) return impl_->verifies_mac(text, signature);
    if (impl_->algorithm != JwtAlgorithm::es256) return impl_->verifies_signature(text, signature);
    const auto der = der_signature(signature);
    return der && impl_->verifies_signature(text, *der);
}

void JwtKeys::add(std::string id, JwtKey key)
{
    const auto is_secret = [](const JwtKey& one) { return one.algorithm() == JwtAlgorithm::hs256; };
    const bool has_secret = nameless_.size() == 1 && is_secret(nameless_.front());  // the only one there can be
    if (has_secret || (is_secret(key) && size() > 0))
        throw Error(Code::invalid,
                    "a secret for tokens cannot stand beside other keys; configure the one or the others");
    if (is_secret(key) || id.empty()) {
        nameless_.push_back(std::move(key));
        return;
    }
    if (!named_.try_emplace(std::move(id), std::move(key)).second)
        throw Error(Code::invalid, "the key has an id that another one has already");
}

bool JwtKeys::knows(std::optional<std::string_view> id) const
{
    return id && !named_.empty() ? named_.contains(*id) : size() > 0;
}

std::vector<JwtKey> JwtKeys::candidates(std::optional<std::string_view> id, JwtAlgorithm algorithm) const
{
    std::vector<JwtKey> found;
    const auto consider = [&](const JwtKey& key) {
        if (key.algorithm() == algorithm && found.size() < kMostKeysTried) found.push_back(key);
    };
    if (id && !named_.empty()) {
        const auto one = named_.find(*id);
        if (one != named_.end()) consider(one->second);
        return found;
    }
    for (const auto& [name, key] : named_) consider(key);
    for (const JwtKey& key : nameless_) consider(key);
    return found;
}

}  // namespace cadre::server
