// Any text is an expression or is refused at a place; its value has a form in JSON or says why not, and its truth is that of the value.
#include "base/json.hpp"
#include "expect.hpp"
#include "text/template/template.hpp"

#include <boost/json.hpp>

#include <string>

using namespace cadre;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    static const text::Scope scope = [] {
        text::Scope names;
        const text::Value row =
            text::Value::dict({{"name", "Ann"}, {"age", 30}, {"tags", text::Value::list({"x", "y"})}});
        return names.set("n", 7)
            .set("f", -2.5)
            .set("s", "Hello W\u00f6rld")
            .set("l", text::Value::list({3, 1, 2}))
            .set("d", row)
            .set("rows", text::Value::list({row, row}));
    }();
    try {
        const auto expression = text::Expression::parse(fuzz::text_of(data, size));
        for (const text::UsedName& use : expression.names()) EXPECT(!use.name.empty() && use.place.line >= 1);
        const text::Value value = expression.evaluate(scope);
        EXPECT(value.kind() <= text::Value::Kind::dict);
        expression.truth(scope);
        try {
            to_text(text::to_json(value));
        } catch (const Error& error) {
            EXPECT(error.code() == Code::invalid || error.code() == Code::limit);
        }
    } catch (const text::TemplateError& error) {
        EXPECT(error.place().line >= 1 && error.place().column >= 1 && !error.reason().empty());
    }
    return 0;
}
