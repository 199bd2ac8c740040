// For tests: a web server from a function.
#pragma once

#include "base/async.hpp"
#include "base/timeout.hpp"
#include "net/http.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::mcp::test {

struct Reply {
    int status = 200;
    net::HttpHeaders headers{};
    std::vector<std::string> pieces{};
    bool open = false;  // after the pieces, silence
};

class ScriptedReply final : public net::HttpReply {
public:
    explicit ScriptedReply(Reply script) : script_(std::move(script)) {}
    int status() const override { return script_.status; }
    const net::HttpHeaders& headers() const override { return script_.headers; }
    Async<std::optional<std::string_view>> read() override
    {
        if (next_ < script_.pieces.size()) co_return std::string_view(script_.pieces[next_++]);
        if (script_.open) co_await sleep_until(kNever);
        co_return std::nullopt;
    }

private:
    Reply script_;
    std::size_t next_ = 0;
};

struct Web final : net::Http {
    Async<std::unique_ptr<net::HttpReply>> send(net::HttpRequest request) override
    {
        asked.push_back(request);
        if (takes > Millis{0}) co_await sleep_for(takes);
        std::optional<Reply> reply = answer(request);
        if (!reply) throw net::HttpError(Code::unavailable, "nobody listens", false);
        co_return std::make_unique<ScriptedReply>(std::move(*reply));
    }
    int count(std::string_view method) const
    {
        return static_cast<int>(
            std::ranges::count_if(asked, [&](const net::HttpRequest& r) { return r.method == method; }));
    }
    std::function<std::optional<Reply>(const net::HttpRequest&)> answer;
    std::vector<net::HttpRequest> asked;
    Millis takes{0};  // each answer
};

}  // namespace cadre::mcp::test
