// A vendor, as pure functions: bytes in, values out. No socket and no clock, so each is tested as a table.
#pragma once

#include "base/time.hpp"
#include "model/channel_accounts.hpp"
#include "net/http.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::channels {

using Account = model::ChannelAccount;

/// A webhook as it came.
struct RawRequest {
    std::string method{};
    std::string url{};    // as the vendor calls it: public_url, path and query
    std::string query{};  // without its `?`
    net::HttpHeaders headers{};
    std::string body{};
};

enum class Verdict : std::uint8_t { good, missing, wrong };

/// In order of rank: a status never goes back, but what was delivered has not failed.
enum class DeliveryStatus : std::uint8_t { accepted, sent, failed, delivered, read };
std::string_view name_of(DeliveryStatus status);
std::optional<DeliveryStatus> find_delivery_status(std::string_view name);

enum class InboundKind : std::uint8_t {
    message,
    status,
    opt_out,  // the vendor has answered these three itself
    opt_in,
    help,
    ignored,
};

/// One thing that a webhook says; a request may hold many.
struct Inbound {
    InboundKind kind = InboundKind::ignored;
    std::string id{};      // the vendor's, of the message
    std::string sender{};  // where answers go
    std::string name{};
    std::string text{};
    std::optional<Time> sent_at{};
    DeliveryStatus status = DeliveryStatus::accepted;
    std::string key{};    // of the `send` that the status is of, where it names it
    std::string error{};  // why it failed

    bool operator==(const Inbound&) const = default;
};

struct HookAnswer {
    int status = 200;
    std::string type{};
    std::string body{};
};

/// What is to be sent.
struct Letter {
    std::string to{};
    std::string text{};
    std::string key{};
    std::string reply_to{};    // the vendor's id of what it answers; empty: nothing
    std::string subject{};     // of a mail that begins a thread
    std::string html{};        // of the same words, for a mail
    std::string status_url{};  // where statuses of it are to go; empty: nowhere
    bool as_template = false;  // the account's template in place of the text
};

/// What came of sending it.
struct SendResult {
    enum class Kind : std::uint8_t { accepted, refused, later, unknown } kind = Kind::unknown;
    std::string id{};    // accepted: the vendor's
    std::string code{};  // the vendor's, of an error
    std::string text{};  // of an error, for people
    std::optional<Millis> retry_after{};
    bool opted_out = false;     // they want no messages
    bool wrong_secret = false;  // the account's, not this message's fault

    bool operator==(const SendResult&) const = default;
};

/// A message in the vendor's list of those that were sent.
struct Listed {
    std::string id{};
    std::string to{};
    std::string text{};
    Time created_at{};
};

/// Lives as long as the program.
class Adapter {
public:
    /// The header that shows that a request is the vendor's own, made with the newest secret.
    virtual net::HttpHeader sign(const RawRequest& request, const Account& account) const = 0;
    /// A request to that address that says nothing, with all but its signature.
    virtual RawRequest probe(std::string url) const = 0;
    virtual Verdict verify(const RawRequest& request, const Account& account) const = 0;
    /// What is not known is `ignored`. Throws Error for what is no request of this vendor.
    virtual std::vector<Inbound> read(const RawRequest& request) const = 0;
    /// Once all of it is durable.
    virtual HookAnswer acknowledge() const = 0;
    /// What the vendor asks with GET before it sends anything; nothing: it does not, or does not know the word.
    virtual std::optional<HookAnswer> handshake(const RawRequest&, const Account&) const { return std::nullopt; }
    virtual net::HttpRequest plan(const Letter& letter, const Account& account) const = 0;
    virtual SendResult judge(int status, const net::HttpHeaders& headers, std::string_view body) const = 0;
    /// Asks what was sent to that address on that day; nothing: the vendor has no such list.
    virtual std::optional<net::HttpRequest> list(const std::string&, Time, const Account&) const
    {
        return std::nullopt;
    }
    virtual std::vector<Listed> read_list(std::string_view) const { return {}; }
    /// How large a webhook may be.
    virtual std::size_t largest() const = 0;
    /// Whether answers may be sent only for a day after the user's last message.
    virtual bool has_window(const Account& account) const = 0;

protected:
    ~Adapter() = default;
};

const Adapter& adapter_of(model::ChannelVendor vendor);
const Adapter& twilio();
const Adapter& meta();
/// Mail goes over no HTTP: this one takes no webhooks and plans no requests. mail/mail_letter.hpp has what stands for them.
const Adapter& mail();

}  // namespace cadre::channels
