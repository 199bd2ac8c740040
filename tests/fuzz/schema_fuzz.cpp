// A schema on the first line, a value on the rest: whatever they are, an answer or an error, soon, and the same twice.
#include "base/error.hpp"
#include "base/json.hpp"
#include "expect.hpp"
#include "schema/schema.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <optional>

using namespace cadre;

namespace {

constexpr JsonLimits kLimits{.bytes = 1 << 16, .depth = 32, .nodes = 2'000};

std::optional<json::value> parsed(std::string_view text)
{
    try {
        return parse_json(text, kLimits);
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    const auto line = std::min(text.find('\n'), text.size());
    const auto schema_text = parsed(text.substr(0, line));
    const auto value = parsed(text.substr(std::min(line + 1, text.size())));
    if (!schema_text || !value) return 0;

    const schema::Options options{.format_assertion = true, .max_depth = 100, .max_steps = 20'000, .max_findings = 5};
    try {
        const auto schema = schema::Schema::compile(*schema_text, options);
        const auto findings = schema.validate(*value);
        EXPECT(findings.empty() == schema.accepts(*value));
        EXPECT(findings.size() <= options.max_findings);
        for (const auto& finding : findings) {
            EXPECT(!finding.message.empty() && finding.message.size() < 3'000);
            std::error_code problem;
            EXPECT(value->find_pointer(finding.value_path, problem) && !problem);
        }
    } catch (const Error& error) {
        EXPECT(error.code() == Code::invalid || error.code() == Code::too_large);
    }
    return 0;
}
