#include "channels/mail/mailer.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "net/tls.hpp"

#include <optional>

namespace cadre::channels {

Async<SendResult> Mailer::submit(Account account, std::string to, std::string mail)
{
    std::optional<SendResult> result;
    try {
        SmtpOptions options{.server = smtp_server_from(account.url),
                            .user = account.user,
                            .password = Secret(account.token.empty() ? account.password : account.token),
                            .is_token = !account.token.empty()};
        if (options.server.security != SmtpSecurity::none && !trust_)
            trust_ = std::make_shared<net::TlsTrust>(net::TlsOptions{.says_http = false});
        options.trust = trust_.get();
        MailEnvelope envelope{.from = account.from, .to = std::move(to)};
        result = co_await submit_mail(loop_, std::move(options), std::move(envelope), std::move(mail));
    } catch (const Error& error) {
        if (error.code() != Code::invalid && error.code() != Code::malformed) throw;
        result = SendResult{.kind = SendResult::Kind::refused, .text = error.what()};
    }
    co_return std::move(*result);
}

}  // namespace cadre::channels
