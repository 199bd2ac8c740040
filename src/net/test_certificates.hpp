// For tests: a certificate authority that signs what a test asks for, made on the spot with OpenSSL.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <unistd.h>

namespace cadre::test {

struct CertificateFreeing {
    void operator()(X509* certificate) const { ::X509_free(certificate); }
    void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
    void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
};
using Certificate = std::unique_ptr<X509, CertificateFreeing>;
using Key = std::unique_ptr<EVP_PKEY, CertificateFreeing>;
using ServerContext = std::unique_ptr<SSL_CTX, CertificateFreeing>;

struct Wish {
    std::string names = "DNS:right.test";  // as in subjectAltName
    long from = -3600;                     // seconds from now
    long until = 3600;
    bool self_signed = false;
};

class Authority {
public:
    Authority() : key_(new_key())
    {
        certificate_ = sign({}, key_.get(), "CA:TRUE");
        std::string name = (std::filesystem::temp_directory_path() / "cadre_ca_XXXXXX").string();
        std::FILE* file = ::fdopen(::mkstemp(name.data()), "w");
        ::PEM_write_X509(file, certificate_.get());
        std::fclose(file);
        file_ = name;
    }
    Authority(const Authority&) = delete;
    Authority& operator=(const Authority&) = delete;
    ~Authority() { std::filesystem::remove(file_); }

    /// Its own certificate, as PEM.
    const std::string& file() const { return file_; }

    ServerContext server(const Wish& wish) const
    {
        ServerContext context(::SSL_CTX_new(::TLS_server_method()));
        const Key key = new_key();
        const Certificate certificate = sign(wish, key.get(), "CA:FALSE");
        ::SSL_CTX_use_certificate(context.get(), certificate.get());
        ::SSL_CTX_use_PrivateKey(context.get(), key.get());
        ::SSL_CTX_set_alpn_select_cb(
            context.get(),
            [](SSL*, const unsigned char** out, unsigned char* size, const unsigned char* in, unsigned in_size, void*) {
                const bool ours =
                    in_size == 9 && std::string_view(reinterpret_cast<const char*>(in) + 1, 8) == "http/1.1";
                *out = in + 1;
                *size = 8;
                return ours ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
            },
            nullptr);
        return context;
    }

    /// Certificate and key, as PEM, for a server that reads files.
    void write(const Wish& wish, const std::string& certificate_file, const std::string& key_file) const
    {
        const Key key = new_key();
        const Certificate certificate = sign(wish, key.get(), "CA:FALSE");
        std::FILE* file = std::fopen(certificate_file.c_str(), "w");
        ::PEM_write_X509(file, certificate.get());
        std::fclose(file);
        file = std::fopen(key_file.c_str(), "w");
        ::PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
        std::fclose(file);
    }

private:
    static Key new_key() { return Key(::EVP_EC_gen("P-256")); }

    static void extend(X509* certificate, X509* issuer, int kind, const std::string& value)
    {
        X509V3_CTX context;
        ::X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
        X509_EXTENSION* extension = ::X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
        ::X509_add_ext(certificate, extension, -1);
        ::X509_EXTENSION_free(extension);
    }

    Certificate sign(const Wish& wish, EVP_PKEY* key, const char* constraint) const
    {
        static long serial = 1;
        Certificate certificate(::X509_new());
        const bool by_itself = wish.self_signed || !certificate_;
        X509* const issuer = by_itself ? certificate.get() : certificate_.get();
        ::X509_set_version(certificate.get(), 2);
        ::ASN1_INTEGER_set(::X509_get_serialNumber(certificate.get()), serial++);
        ::X509_gmtime_adj(::X509_getm_notBefore(certificate.get()), wish.from);
        ::X509_gmtime_adj(::X509_getm_notAfter(certificate.get()), wish.until);
        ::X509_set_pubkey(certificate.get(), key);
        const std::string common = certificate_ ? "a server" : "an authority";
        ::X509_NAME_add_entry_by_txt(::X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                                     reinterpret_cast<const unsigned char*>(common.c_str()), -1, -1, 0);
        ::X509_set_issuer_name(certificate.get(), ::X509_get_subject_name(issuer));
        extend(certificate.get(), issuer, NID_basic_constraints, std::string("critical,") + constraint);
        if (certificate_) extend(certificate.get(), issuer, NID_subject_alt_name, wish.names);
        ::X509_sign(certificate.get(), by_itself ? key : key_.get(), ::EVP_sha256());
        return certificate;
    }

    Key key_;
    Certificate certificate_;
    std::string file_;
};

}  // namespace cadre::test
