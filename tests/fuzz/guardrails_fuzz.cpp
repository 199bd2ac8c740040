// However a text is cut, what leaves the stream is what the whole check makes of it.
#include "base/random.hpp"
#include "expect.hpp"
#include "guardrails/stream_guard.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <string>

using namespace cadre;
using namespace cadre::guardrails;

namespace {

std::shared_ptr<const PolicySet> policies()
{
    const auto rule = [](Kind kind, boost::json::value value) { return Rule{.kind = kind, .value = std::move(value)}; };
    return PolicySet::compile({
        {.name = "words",
         .rules = {rule(Kind::keywords, {"secret", "top secret", "über", "机密"})},
         .action = Action::rewrite},
        {.name = "patterns",
         .rules = {rule(Kind::regex, R"(\bkey-[0-9a-f]{2,4}\b)"), rule(Kind::regex, "^a+b?"),
                   rule(Kind::regex, "(?m)x$")},
         .action = Action::rewrite},
        {.name = "people", .rules = {rule(Kind::pii, nullptr)}, .action = Action::rewrite},
        {.name = "links", .rules = {rule(Kind::urls, {"example.com"})}, .action = Action::rewrite},
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    static const std::shared_ptr<const PolicySet> set = policies();
    const std::string_view text = fuzz::text_of(data, size);
    const Verdict whole = check(*set, Place::output, text);
    SeededRandom random(size);
    for (const std::size_t most : {std::size_t{1}, std::size_t{7}}) {
        StreamGuard guard(set, Place::output);
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t bytes = std::min(text.size() - at, 1 + random.below(most));
            out += guard.feed(text.substr(at, bytes));
            at += bytes;
        }
        out += guard.finish();
        EXPECT(out == whole.text.value_or(std::string(text)));
        EXPECT(guard.verdict().action == whole.action);
    }
    return 0;
}
