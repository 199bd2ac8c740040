// For tests: makes keys and signs tokens with them, good ones and others.
#pragma once

#include "base/base64.hpp"

#include <array>
#include <memory>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <string>
#include <string_view>

namespace cadre::test {

struct PkeyFreeing {
    void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
};

class Signer {
public:
    /// `Ed25519`, `P-256`, `P-384`, or bits of RSA.
    explicit Signer(const std::string& kind)
    {
        if (kind == "Ed25519") key_.reset(::EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
        else if (kind.starts_with("P-")) key_.reset(::EVP_EC_gen(kind.c_str()));
        else key_.reset(::EVP_RSA_gen(static_cast<unsigned>(std::stoi(kind))));
    }

    /// Of header and payload, as JSON.
    std::string token(std::string_view header, std::string_view payload) const
    {
        const std::string text = to_base64url(header) + "." + to_base64url(payload);
        return text + "." + to_base64url(signature(text));
    }
    std::string signature(const std::string& text) const
    {
        EVP_MD_CTX* const context = ::EVP_MD_CTX_new();
        ::EVP_DigestSignInit(context, nullptr, is("ED25519") ? nullptr : ::EVP_sha256(), nullptr, key_.get());
        std::string out(1024, '\0');
        std::size_t size = out.size();
        const auto* from = reinterpret_cast<const unsigned char*>(text.data());
        ::EVP_DigestSign(context, reinterpret_cast<unsigned char*>(out.data()), &size, from, text.size());
        ::EVP_MD_CTX_free(context);
        out.resize(size);
        return is("EC") ? raw(out) : out;
    }

    std::string pem() const
    {
        BIO* const bio = ::BIO_new(::BIO_s_mem());
        ::PEM_write_bio_PUBKEY(bio, key_.get());
        char* data = nullptr;
        const long size = BIO_get_mem_data(bio, &data);
        std::string out(data, static_cast<std::size_t>(size));
        ::BIO_free(bio);
        return out;
    }
    /// A number of its public half, in base64url: `n`, `e`, `qx`, `qy`.
    std::string number(const char* name) const
    {
        BIGNUM* value = nullptr;
        ::EVP_PKEY_get_bn_param(key_.get(), name, &value);
        std::string out(static_cast<std::size_t>(is("EC") ? 32 : BN_num_bytes(value)), '\0');
        ::BN_bn2binpad(value, reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(out.size()));
        ::BN_free(value);
        return to_base64url(out);
    }
    std::string raw_public() const
    {
        std::string out(32, '\0');
        std::size_t size = out.size();
        ::EVP_PKEY_get_raw_public_key(key_.get(), reinterpret_cast<unsigned char*>(out.data()), &size);
        return to_base64url(out);
    }
    /// As a member of a JWKS, with `more` members.
    std::string jwk(const std::string& id, const std::string& more = "") const
    {
        std::string out = R"({"kid":")" + id + "\"" + more;
        if (is("ED25519")) return out + R"(,"kty":"OKP","crv":"Ed25519","x":")" + raw_public() + "\"}";
        if (is("EC"))
            return out + R"(,"kty":"EC","crv":"P-256","x":")" + number("qx") + R"(","y":")" + number("qy") + "\"}";
        return out + R"(,"kty":"RSA","n":")" + number("n") + R"(","e":")" + number("e") + "\"}";
    }

private:
    bool is(const char* kind) const { return ::EVP_PKEY_is_a(key_.get(), kind) == 1; }

    /// r and s behind one another.
    static std::string raw(const std::string& der)
    {
        const auto* from = reinterpret_cast<const unsigned char*>(der.data());
        ECDSA_SIG* const signature = ::d2i_ECDSA_SIG(nullptr, &from, static_cast<long>(der.size()));
        std::string out(64, '\0');
        auto* to = reinterpret_cast<unsigned char*>(out.data());
        ::BN_bn2binpad(::ECDSA_SIG_get0_r(signature), to, 32);
        ::BN_bn2binpad(::ECDSA_SIG_get0_s(signature), to + 32, 32);
        ::ECDSA_SIG_free(signature);
        return out;
    }

    std::unique_ptr<EVP_PKEY, PkeyFreeing> key_;
};

/// A token whose signature is a MAC with that secret.
inline std::string mac_token(std::string_view header, std::string_view payload, std::string_view secret)
{
    const std::string text = to_base64url(header) + "." + to_base64url(payload);
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac;
    unsigned size = 0;
    ::HMAC(::EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &size);
    return text + "." + to_base64url({reinterpret_cast<const char*>(mac.data()), size});
}

}  // namespace cadre::test
