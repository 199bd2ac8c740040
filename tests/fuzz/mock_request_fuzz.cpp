// Any JSON is a request in a vendor's dialect or refused; what is said back in that dialect is JSON.
#include "base/error.hpp"
#include "base/json.hpp"
#include "expect.hpp"
#include "llm/mock/dialect.hpp"

#include <boost/json.hpp>

#include <string>

using namespace cadre;
using namespace cadre::llm;

namespace {

void converse(const mock::Dialect& dialect, const json::value& body)
{
    std::string says;
    try {
        const mock::Asked asked = dialect.read(body);
        EXPECT(asked.request.nth >= 1);
        EXPECT(!asked.request.messages.empty() || !asked.request.instructions.empty());
        says = asked.model + asked.request.instructions;
        for (const auto& message : asked.request.messages) says += message->text;
    } catch (const Error& error) {
        EXPECT(error.code() == Code::invalid);
        EXPECT(parse_json(dialect.error(400, error.what(), "req_1")).is_object());
        return;
    }
    const mock::Told told{.id = "1",
                          .model = says,
                          .completion = {.text = says, .calls = {{.tool_name = says}}, .reasoning = says},
                          .pieces = {says}};
    EXPECT(parse_json(dialect.whole(told)).is_object());
    for (const mock::Event& event : dialect.stream(told))
        EXPECT(event.data == "[DONE]" || parse_json(event.data).is_object());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    json::value body;
    try {
        body = parse_json(fuzz::text_of(data, size));
    } catch (const Error&) {
        return 0;
    }
    converse(mock::openai, body);
    converse(mock::anthropic, body);
    return 0;
}
