// The control socket's language: lines of JSON. A request is `{"verb":…,"args":{…}}`, its answer `{"ok":…}` or
// `{"error":{"code":…,"message":…}}`. `drive` and `drive_all` send lines before their answer: events, chunks, tasks at rest. An
// owner who is about to go answers `{"leaving":true}`: ask again, whoever then has the home.
#pragma once

#include "base/async_fwd.hpp"
#include "base/error.hpp"
#include "base/time.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace cadre::home {

/// How often an owner that drives a task for a client shows that it lives, and how.
inline constexpr Millis kHeartbeat{1000};
inline constexpr std::string_view kAliveLine = "{\"alive\":true}\n";

/// In bytes; a task's event with a result of 1 MiB fits, however much of it must be escaped.
inline constexpr std::size_t kLongestLine = 16 << 20;

/// Where the lines before an answer go.
class LineSink {
public:
    /// One line with its newline; whoever sends waits until it is taken.
    virtual Async<> take(std::string line) = 0;

protected:
    ~LineSink() = default;
};

struct Request {
    std::string verb{};
    boost::json::object args{};
};

/// Thrown where the owner of the home is leaving it.
struct Leaving {};

std::string to_line(const Request& request);
/// Throws Error(malformed or invalid).
Request request_from(std::string_view line);

/// `result` is JSON.
std::string ok_line(std::string_view result);
std::string error_line(const std::exception_ptr& failure);
std::string leaving_line();

/// `{"seq":7,"event":{…}}` and a newline: an event as programs get it.
std::string event_line(std::uint32_t number, std::string_view json);

boost::json::object parse_line(std::string_view line);
/// The result in an answer, or what it says instead: throws the Error, or Leaving. Null when the line is no answer.
const boost::json::value* result_in(const boost::json::object& line);

/// A text argument; throws Error(invalid) when it is missing.
std::string text_of(const boost::json::object& args, std::string_view name);

}  // namespace cadre::home
