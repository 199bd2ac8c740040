// How messages reach people: e-mail, SMS and the like.
#pragma once

#include "base/async_fwd.hpp"

#include <boost/json/object.hpp>

#include <string>

namespace cadre::engine {

struct Outgoing {
    std::string agent{};
    std::string channel{};
    std::string to{};
    std::string content{};
    boost::json::object options{};  // the channel's own: subject, thread
};

struct Sent {
    std::string id{};  // the provider's
};

/// Lives on the loop of whoever asks, and longer.
class Sender {
public:
    /// Whether the channel knows a message that is sent again by its key; else one whose fate is not known is a person's question.
    virtual bool takes_key(const std::string& channel) const = 0;
    /// Throws tools::NotDispatched when it is certain that nothing was sent.
    virtual Async<Sent> send(Outgoing message, std::string key) = 0;

protected:
    ~Sender() = default;
};

}  // namespace cadre::engine
