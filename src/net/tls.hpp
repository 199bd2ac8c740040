// TLS over a connected socket, for either side. No waiting here: who calls waits for the socket and tries again.
#pragma once

#include "net/io_result.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace cadre::net {

struct Wire;

struct TlsOptions {
    std::string ca_file{};  // PEM; empty: what OpenSSL trusts here, which SSL_CERT_FILE changes
    bool verify = true;     // false: anybody may pretend to be anybody
    bool says_http = true;  // with ALPN, that http/1.1 is inside
};

/// Whom we trust: shared by connections, which may outlive it. TLS 1.2 or later.
class TlsTrust {
public:
    /// Reads the file on the spot: once for a program. Throws Error(invalid).
    explicit TlsTrust(const TlsOptions& options);
    TlsTrust(const TlsTrust&) = delete;
    TlsTrust& operator=(const TlsTrust&) = delete;
    ~TlsTrust();

private:
    friend class Tls;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

struct TlsFiles {
    std::string certificate{};  // PEM: ours first, then those that lead to a root
    std::string key{};          // PEM, without a password
};

/// Who we are, as a server: shared by connections, which may outlive it. TLS 1.2 or later, http/1.1 inside.
class TlsIdentity {
public:
    /// Reads the files on the spot. Throws Error(invalid) that names the one that is wrong.
    explicit TlsIdentity(const TlsFiles& files);
    TlsIdentity(const TlsIdentity&) = delete;
    TlsIdentity& operator=(const TlsIdentity&) = delete;
    ~TlsIdentity();

private:
    friend class Tls;
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// One conversation over a socket, which outlives it.
class Tls {
public:
    /// The server's side.
    Tls(const TlsIdentity& identity, Wire& wire);
    /// `host` must be the one that the certificate names; it is sent too (SNI) when it is a name.
    Tls(const TlsTrust& trust, Wire& wire, const std::string& host);
    Tls(const Tls&) = delete;
    Tls& operator=(const Tls&) = delete;
    ~Tls();

    /// `done` when both agree, and a server has proved who it is. Any other result but the wishes to wait is for ever; failure() says what it was.
    IoResult handshake();
    IoResult read(char* to, std::size_t size);
    /// Part of it, maybe. After a wish to wait, the same bytes come again.
    IoResult write(std::string_view bytes);
    /// Says goodbye, if that needs no waiting.
    void close() noexcept;

    /// Bytes have been received that read() has not been asked for: the socket may never become readable again.
    bool has_pending() const;
    const std::string& failure() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::net
