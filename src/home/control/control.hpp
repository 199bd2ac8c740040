// The control socket's language: lines of JSON. A request is `{"verb":…,"by":…,"args":{…}}` (home/verbs.hpp), its answer `{"ok":…}` or
// `{"error":{"code":…,"message":…}}`. Verbs that tell what happens send lines before their answer: events, chunks, tasks at rest. An
// owner who is about to leave answers `{"leaving":true}`: ask again, whoever then has the home.
#pragma once

#include "base/time.hpp"
#include "home/telling.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace cadre::home {

/// How often an owner that drives a task for a client shows that it lives, and how.
inline constexpr Millis kHeartbeat{1000};
inline constexpr std::string_view kAliveLine = "{\"alive\":true}\n";

/// In bytes; a task's event with a result of 1 MiB fits, however much of it must be escaped.
inline constexpr std::size_t kLongestLine = 16 << 20;

struct Request {
    std::string verb{};
    std::string by{};  // the person; whoever can connect is the owner's own user
    boost::json::object args{};
};

/// `args` is JSON.
std::string request_line(std::string_view verb, std::string_view by, std::string_view args);
/// Throws Error(malformed or invalid).
Request request_from(std::string_view line);

/// `result` is JSON.
std::string ok_line(std::string_view result);
std::string error_line(const std::exception_ptr& failure);
std::string leaving_line();

std::string line_of(const Told& told);
/// Throws Error(unavailable) when it is nothing that this release knows.
Told told_in(const boost::json::object& line);

boost::json::object parse_line(std::string_view line);
/// The result in an answer, or what it says instead: throws the Error, or Leaving. Null when the line is no answer.
const boost::json::value* result_in(const boost::json::object& line);

}  // namespace cadre::home
