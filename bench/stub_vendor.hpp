// A vendor without latency, in a process of its own, so that its work is not counted: Chat Completions over real loopback sockets. What it
// does stands in the path of its address: /run, /stream, /slow, /hold.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace cadre::bench {

/// Between two tokens of a stream.
inline constexpr int kTickMs = 20;
inline constexpr int kTokens = 200;
inline constexpr int kSlowMs = 200;

/// The events of its answers: one that asks for the tool `look`, one in words, a token of a stream and that stream's end.
std::vector<std::string> call_events();
std::vector<std::string> answer_events();
std::string token_event();
std::vector<std::string> end_events();

/// Lives as long as this object. Made before the program has threads.
///   /run     asks for the tool `look`, and answers when its result is there
///   /slow    the same after 200 ms
///   /stream  200 tokens, the first at once, then one every 20 ms
///   /hold    says nothing
class StubVendor {
public:
    StubVendor();
    StubVendor(const StubVendor&) = delete;
    StubVendor& operator=(const StubVendor&) = delete;
    ~StubVendor();

    int port() const { return port_; }
    std::string url(const std::string& what) const
    {
        return "http://127.0.0.1:" + std::to_string(port_) + "/" + what + "/v1";
    }

private:
    pid_t process_ = -1;
    int port_ = 0;
};

}  // namespace cadre::bench
