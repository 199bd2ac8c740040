// Any text is a template or is refused at a place; what is rendered is bounded, and is the same the second time.
#include "expect.hpp"
#include "text/template/template.hpp"

#include <string>

using namespace cadre;

namespace {

text::Scope some_names()
{
    text::Scope scope;
    const text::Value row = text::Value::dict({{"name", "Ann"}, {"age", 30}, {"tags", text::Value::list({"x", "y"})}});
    scope.set("n", 7).set("f", -2.5).set("s", "Hello W\u00f6rld").set("t", true).set("none_", nullptr);
    scope.set("l", text::Value::list({3, 1, 2})).set("d", row).set("rows", text::Value::list({row, row}));
    return scope;
}

std::string outcome(std::string_view source, const text::Scope& scope)
{
    text::TemplateOptions options;
    options.includes = [source](std::string_view name, std::string_view) -> std::optional<text::Included> {
        if (name == "self") return text::Included{.name = "self", .source = source};
        if (name == "part") return text::Included{.name = "part", .source = "{{ n }}{% set n = 1 %}{{ missing }}"};
        return std::nullopt;
    };
    try {
        return text::Template::parse(source, options).render(scope);
    } catch (const text::TemplateError& error) {
        EXPECT(error.place().line >= 1 && error.place().column >= 1);
        EXPECT(std::string_view(error.what()).ends_with(error.reason()) && !error.reason().empty());
        EXPECT(error.code() == Code::invalid || error.code() == Code::limit || error.code() == Code::too_large ||
               error.code() == Code::malformed);
        return error.what();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    static const text::Scope scope = some_names();
    const std::string first = outcome(fuzz::text_of(data, size), scope);
    EXPECT(first.size() <= 1024 * 1024 + 64);
    EXPECT(outcome(fuzz::text_of(data, size), scope) == first);
    return 0;
}
