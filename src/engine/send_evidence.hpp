// What a sender can say besides "sent": no, later, or what became of a message whose sending was cut off.
#pragma once

#include "base/async_fwd.hpp"
#include "base/error.hpp"
#include "base/time.hpp"
#include "engine/sender.hpp"

#include <optional>
#include <string>

namespace cadre::engine {

/// The other side said no: it is known that nothing was sent. With `retry_after` it only wants it to come later.
class SendRefused : public Error {
public:
    SendRefused(Code code, const std::string& text, std::optional<Millis> retry_after = {})
        : Error(code, text), retry_after_(retry_after)
    {}

    std::optional<Millis> retry_after() const { return retry_after_; }

private:
    std::optional<Millis> retry_after_;
};

/// What can be found out about a message that may have been sent.
struct SendEvidence {
    std::optional<Sent> happened{};
    bool give_up = false;  // not found, and nobody is to be asked
    std::string looked{};  // not found: where it was looked for, for the person who is asked
};

/// A Sender that knows its receivers and its vendors is one of these, too.
class SendWitness {
public:
    /// Why it must not be sent at all, found before anything is recorded of it; empty: it may be.
    virtual Async<std::string> refusal(Outgoing message) = 0;
    /// Looks for traces of a message that may have been sent with that key, at `since` or later.
    virtual Async<SendEvidence> look(Outgoing message, std::string key, Time since) = 0;

protected:
    ~SendWitness() = default;
};

}  // namespace cadre::engine
