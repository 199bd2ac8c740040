// How a vendor speaks HTTP, seen from its own side: requests are read, answers are written. No sockets here.
#pragma once

#include "llm/model.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm::mock {

/// A request in the terms of a script. Nothing is remembered between requests: everything is in its messages.
struct Asked {
    Request request{};  // agent: the request's user, or else its model; nth: the model's answers so far and one
    std::string model{};
    bool stream = false;
    bool stream_usage = false;
};

/// What is answered.
struct Told {
    std::string id{};  // of the request; those of the answer are made of it
    std::string model{};
    std::int64_t created = 0;  // seconds
    Completion completion{};
    std::vector<std::string> pieces{};  // of the text
    bool stream_usage = false;
};

/// One event of a stream.
struct Event {
    enum class Part { frame, piece, end };  // around what the model says, of it, behind it

    std::string data{};
    std::string name{};
    Part part = Part::frame;
};

struct Dialect {
    std::string_view name;
    /// Throws Error(invalid) for what the vendor refuses too.
    Asked (*read)(const boost::json::value& body);
    std::string (*whole)(const Told& told);
    std::vector<Event> (*stream)(const Told& told);
    std::string (*error)(int status, std::string_view message, std::string_view request_id);
    /// An error in the middle of a stream.
    Event (*stream_error)(std::string_view message);
};

extern const Dialect openai;
extern const Dialect anthropic;

}  // namespace cadre::llm::mock
