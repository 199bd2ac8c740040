// Bytes that a vendor may send, read as its model's answer; what can be sent back of it is sent back.
#pragma once

#include "expect.hpp"
#include "llm/test_http.hpp"
#include "llm/wire/request.hpp"

namespace cadre::fuzz {

inline int answer(std::string_view provider, std::string_view model, std::string_view text)
{
    using namespace cadre::llm;
    if (text.size() > 1 << 14) return 0;
    static const Endpoint at = test::endpoint(provider, model);
    static test::Asked asked(at);
    const std::string body(text);
    llm::Completion completion;
    const std::string first = asked.outcome({.pieces = {body}}, &completion);
    const std::size_t middle = body.size() / 2;
    const std::string second = asked.outcome({.pieces = {body.substr(0, middle), body.substr(middle)}});
    EXPECT(first == second);
    EXPECT(first.find("internal") != 0);
    EXPECT(completion.usage.input >= 0 && completion.usage.output >= 0 && completion.usage.cost >= 0);
    EXPECT(completion.usage.cached <= completion.usage.input);

    Request request = test::hello();
    Message said{.role = model::Role::assistant,
                 .text = completion.text,
                 .calls = completion.calls,
                 .opaque = completion.opaque};
    request.messages.push_back(std::make_shared<const Message>(std::move(said)));
    const ToolNames names(request.tools.get());
    parse_json(body_for(at, request, names), {.bytes = 64 << 20, .depth = 256, .nodes = 1'000'000});
    return 0;
}

}  // namespace cadre::fuzz
