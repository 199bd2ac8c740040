// template_tool: reads one JSON object a line and writes one, for template_judge_test.py.
//   {"context": {…}, "includes": {"name": "source"}}  what the following lines may use; nothing is written
//   {"template": "source"} or {"expression": "source"}: {"text": …} (of an expression its repr), or {"error": …, "code": …}
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "text/template/template.hpp"

#include <boost/json.hpp>

#include <iostream>
#include <string>
#include <string_view>

using namespace cadre;

namespace {

struct World {
    text::Scope scope{};
    json::object includes{};

    explicit World(const json::object& line)
    {
        if (const auto* context = line.if_contains("context"))
            for (const auto& [name, value] : context->as_object()) scope.set(name, text::from_json(value));
        if (const auto* known = line.if_contains("includes")) includes = known->as_object();
    }

    std::string answer(const json::object& line) const
    {
        if (const auto* source = line.if_contains("expression"))
            return text::Expression::parse(source->as_string()).repr(scope);
        text::TemplateOptions options;
        options.includes = [this](std::string_view name, std::string_view) -> std::optional<text::Included> {
            const auto* source = includes.if_contains(name);
            if (!source) return std::nullopt;
            return text::Included{.name = std::string(name), .source = source->as_string()};
        };
        return text::Template::parse(line.at("template").as_string(), options).render(scope);
    }
};

std::string answered(const World& world, const json::object& line)
{
    std::string out;
    JsonWriter writer(out);
    writer.begin_object();
    try {
        writer.field("text", world.answer(line));
    } catch (const Error& error) {
        writer.field("error", std::string_view(error.what())).field("code", name_of(error.code()));
    }
    writer.end_object();
    return out;
}

}  // namespace

int main()
{
    std::ios::sync_with_stdio(false);
    World world{json::object()};
    try {
        for (std::string text; std::getline(std::cin, text);) {
            const json::value line = parse_json(text, {.bytes = std::size_t{1} << 24});
            if (line.as_object().contains("context")) world = World(line.as_object());
            else std::cout << answered(world, line.as_object()) << '\n';
        }
        return 0;
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
