// Any text is read as YAML or refused, in bounded time; what was read has a place for every value, and reads back as JSON.
#include "base/json.hpp"
#include "config/document.hpp"
#include "config/interpolate.hpp"
#include "config/secrets.hpp"
#include "expect.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>

using namespace cadre;
using namespace cadre::config;

namespace {

/// Same shape, and positions that exist.
void expect_places(const json::value& value, const Place& place)
{
    EXPECT(place.at.line >= 1 && place.at.column >= 1 && place.key.line >= 1 && place.key.column >= 1);
    std::size_t i = 0;
    if (const auto* array = value.if_array()) {
        EXPECT(place.items.size() == array->size());
        for (const json::value& item : *array) expect_places(item, place.items[i++]);
    } else if (const auto* object = value.if_object()) {
        EXPECT(place.items.size() == object->size());
        for (const auto& member : *object) expect_places(member.value(), place.items[i++]);
    } else {
        EXPECT(place.items.empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    const Limits limits{.bytes = 1 << 16, .depth = 16, .nodes = 2'000, .alias_bytes = 1 << 16};
    for (const char* file : {"a.yaml", "a.json"}) {
        Findings findings;
        auto document = load(file, text, findings, limits);
        EXPECT(document || findings.errors() > 0);
        for (const Finding& finding : findings.list()) {
            EXPECT(!finding.text.empty() && finding.text.size() < 1000);
            EXPECT(finding.at.line >= 1 && finding.at.column >= 1);
        }
        if (!document) continue;
        expect_places(document->value, document->root);
        if (findings.empty()) {
            const auto again =
                load("a.json", to_text(document->value), findings, {.bytes = 1 << 22, .depth = 32, .nodes = 10'000});
            EXPECT(again && findings.empty() && again->value == document->value);
            expect_places(again->value, again->root);
        }
        find_secrets(*document, findings);
        Variables variables(
            [](const std::string& name) { return name == "A" ? std::optional<std::string>("${A}") : std::nullopt; });
        interpolate(*document, variables, findings);
        expect_places(document->value, document->root);
        find(document->value, document->root, PathSteps{std::string(text.substr(0, 64)), text.size()});
    }
    Findings findings;
    Variables variables([](const std::string&) { return std::nullopt; });
    variables.add_dotenv(".env", text, findings);
    return 0;
}
