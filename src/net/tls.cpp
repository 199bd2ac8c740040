#include "net/tls.hpp"

#include "base/error.hpp"
#include "net/ip_address.hpp"
#include "net/wire.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <system_error>

namespace cadre::net {
namespace {

struct Freeing {
    void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
    void operator()(SSL* session) const { ::SSL_free(session); }
};

int wire_read(BIO* bio, char* to, std::size_t size, std::size_t* got)
{
    ::BIO_clear_retry_flags(bio);
    const IoResult result = static_cast<Wire*>(::BIO_get_data(bio))->read(to, size);
    *got = result.size;
    if (result.state == IoState::wants_read) ::BIO_set_retry_read(bio);
    return result.state == IoState::done ? 1 : 0;
}

int wire_write(BIO* bio, const char* from, std::size_t size, std::size_t* put)
{
    ::BIO_clear_retry_flags(bio);
    const IoResult result = static_cast<Wire*>(::BIO_get_data(bio))->write({from, size});
    *put = result.size;
    if (result.state == IoState::wants_write) ::BIO_set_retry_write(bio);
    return result.state == IoState::done ? 1 : 0;
}

long wire_control(BIO* bio, int command, long, void*)
{
    if (command == BIO_CTRL_EOF) return static_cast<Wire*>(::BIO_get_data(bio))->at_end ? 1 : 0;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

/// OpenSSL's own socket would write without MSG_NOSIGNAL.
BIO_METHOD* wire_method()
{
    static BIO_METHOD* const method = [] {
        BIO_METHOD* made = ::BIO_meth_new(::BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire");
        ::BIO_meth_set_read_ex(made, wire_read);
        ::BIO_meth_set_write_ex(made, wire_write);
        ::BIO_meth_set_ctrl(made, wire_control);
        return made;
    }();
    return method;
}

void check(bool worked, const char* what)
{
    if (!worked) throw Error(Code::internal, std::string("OpenSSL refuses ") + what);
}

using ContextPtr = std::unique_ptr<SSL_CTX, Freeing>;

ContextPtr new_context(const SSL_METHOD* method)
{
    ContextPtr context(::SSL_CTX_new(method));
    check(context && ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) == 1, "TLS 1.2");
    ::SSL_CTX_set_options(context.get(), SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
    // buffers are given back between records: many connections wait, few are busy
    ::SSL_CTX_set_mode(context.get(),
                       SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    ::SSL_CTX_set_read_ahead(context.get(), 1);  // a record in one system call instead of two
    return context;
}

/// ALPN's list of what is spoken inside: each with its length before it.
constexpr unsigned char kProtocols[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

/// Who asks for other protocols alone is refused (RFC 7301 §3.2): it would not understand a word.
int choose_protocol(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered,
                    unsigned offered_size, void*)
{
    const int chosen = ::SSL_select_next_proto(const_cast<unsigned char**>(out), size, kProtocols, sizeof kProtocols,
                                               offered, offered_size);
    return chosen == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Nobody types a password into a server: a key that wants one is refused.
int no_password(char*, int, int, void*)
{
    return -1;
}

[[noreturn]] void refuse_file(std::string_view what, const std::string& file)
{
    const char* const reason = ::ERR_reason_error_string(::ERR_peek_last_error());
    throw Error(Code::invalid, "the server's " + std::string(what) + " cannot be read from " + file +
                                   (reason ? std::string(": ") + reason : ""));
}

}  // namespace

struct TlsTrust::Impl {
    ContextPtr context;
};

TlsTrust::TlsTrust(const TlsOptions& options) : impl_(std::make_unique<Impl>())
{
    impl_->context = new_context(::TLS_client_method());
    SSL_CTX* const context = impl_->context.get();
    if (options.says_http) check(::SSL_CTX_set_alpn_protos(context, kProtocols, sizeof kProtocols) == 0, "ALPN");
    if (!options.verify) return;
    ::SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    ::ERR_clear_error();
    if (options.ca_file.empty()) {
        ::SSL_CTX_set_default_verify_paths(
            context);  // a place that is missing trusts nobody, and the handshake says so
    } else if (::SSL_CTX_load_verify_file(context, options.ca_file.c_str()) != 1) {
        throw Error(Code::invalid, "no certificates can be read from " + options.ca_file);
    }
}

TlsTrust::~TlsTrust() = default;

struct TlsIdentity::Impl {
    ContextPtr context;
};

TlsIdentity::TlsIdentity(const TlsFiles& files) : impl_(std::make_unique<Impl>())
{
    impl_->context = new_context(::TLS_server_method());
    SSL_CTX* const context = impl_->context.get();
    ::SSL_CTX_set_options(context, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_NO_TICKET);
    ::SSL_CTX_set_num_tickets(context, 0);  // a session that is resumed would outlive the certificate it began with
    ::SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    ::SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
    ::SSL_CTX_set_default_passwd_cb(context, no_password);
    ::ERR_clear_error();
    if (::SSL_CTX_use_certificate_chain_file(context, files.certificate.c_str()) != 1)
        refuse_file("certificate", files.certificate);
    if (::SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) refuse_file("key", files.key);
    if (::SSL_CTX_check_private_key(context) != 1)
        throw Error(Code::invalid, "the key " + files.key + " does not belong to the certificate " + files.certificate);
}

TlsIdentity::~TlsIdentity() = default;

struct Tls::Impl {
    Impl(SSL_CTX* context, Wire& w) : wire(w), session(::SSL_new(context))
    {
        check(session != nullptr, "a session");
        verify = ::SSL_get_verify_mode(session.get()) != SSL_VERIFY_NONE;
        BIO* const bio = ::BIO_new(wire_method());
        check(bio != nullptr, "a BIO");
        ::BIO_set_data(bio, &wire);
        ::BIO_set_init(bio, 1);
        ::SSL_set_bio(session.get(), bio, bio);  // owns it
    }

    /// Of what reads.
    IoResult noted(IoResult result)
    {
        starved = result.state == IoState::wants_read;
        return result;
    }
    IoResult result_of(int returned, std::size_t size)
    {
        if (returned > 0) return {IoState::done, size};
        switch (::SSL_get_error(session.get(), returned)) {
        case SSL_ERROR_WANT_READ: return {IoState::wants_read};
        case SSL_ERROR_WANT_WRITE: return {IoState::wants_write};
        case SSL_ERROR_ZERO_RETURN: return {IoState::closed};
        default: break;
        }
        note_failure();
        return {IoState::failed};
    }
    void note_failure()
    {
        dead = true;
        const long verdict = ::SSL_get_verify_result(session.get());
        const unsigned long code = ::ERR_peek_error();
        const char* reason = ::ERR_reason_error_string(code);
        if (verify && verdict != X509_V_OK)
            failure = std::string("its certificate is not accepted: ") + ::X509_verify_cert_error_string(verdict);
        else if (wire.error != 0) failure = std::generic_category().message(wire.error);
        else if (wire.at_end) failure = "the connection was cut off";
        else failure = std::string("TLS failed: ") + (reason ? reason : "for no known reason");
    }

    Wire& wire;
    std::unique_ptr<SSL, Freeing> session;
    std::string failure;
    bool verify = true;
    bool dead = false;
    bool starved = false;  // what has been received is no whole record
};

Tls::Tls(const TlsIdentity& identity, Wire& wire) : impl_(std::make_unique<Impl>(identity.impl_->context.get(), wire))
{
    ::SSL_set_accept_state(impl_->session.get());
}

Tls::Tls(const TlsTrust& trust, Wire& wire, const std::string& host)
    : impl_(std::make_unique<Impl>(trust.impl_->context.get(), wire))
{
    SSL* const session = impl_->session.get();
    ::SSL_set_connect_state(session);

    if (find_ip_address(host)) {
        check(::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(session), host.c_str()) == 1, "an address");
        return;
    }
    const std::string name =
        host.ends_with('.') ? host.substr(0, host.size() - 1) : host;  // certificates have no last dot
    ::SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    check(::SSL_set1_host(session, name.c_str()) == 1, "a host name");
    check(::SSL_set_tlsext_host_name(session, name.c_str()) == 1, "a server name");
}

Tls::~Tls() = default;

IoResult Tls::handshake()
{
    ::ERR_clear_error();
    return impl_->noted(impl_->result_of(::SSL_do_handshake(impl_->session.get()), 0));
}

IoResult Tls::read(char* to, std::size_t size)
{
    ::ERR_clear_error();
    std::size_t got = 0;
    const int returned = ::SSL_read_ex(impl_->session.get(), to, size, &got);
    return impl_->noted(impl_->result_of(returned, got));
}

IoResult Tls::write(std::string_view bytes)
{
    ::ERR_clear_error();
    std::size_t put = 0;
    const int returned = ::SSL_write_ex(impl_->session.get(), bytes.data(), bytes.size(), &put);
    return impl_->result_of(returned, put);
}

void Tls::close() noexcept
{
    if (impl_->dead || !::SSL_is_init_finished(impl_->session.get())) return;
    ::ERR_clear_error();
    ::SSL_shutdown(impl_->session.get());
}

bool Tls::has_pending() const
{
    return !impl_->starved && ::SSL_has_pending(impl_->session.get()) == 1;
}

const std::string& Tls::failure() const
{
    return impl_->failure;
}

}  // namespace cadre::net
