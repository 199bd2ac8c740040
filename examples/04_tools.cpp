// Tools from lambdas: what their arguments are, the engine reads from their signatures, and checks what the model sends.
//
// A tool takes numbers, text, lists, optional arguments and structs of your own. What it throws is told to the model, which may try
// again; so is what does not fit the schema, before the function is called.
#include <cadre/engine.hpp>

#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Line {
    std::string item{};
    int count = 1;
};

/// Beside the struct: its members as models see them.
auto cadre_fields(const Line*)
{
    return cadre::fields(cadre::field("item", &Line::item, "as in the price list"),
                         cadre::field("count", &Line::count));
}

double total(std::vector<Line> order, std::optional<double> discount)
{
    static const std::map<std::string, double> kPrices{{"tea", 3.5}, {"cake", 4.0}};
    double sum = 0;
    for (const Line& line : order) {
        const auto price = kPrices.find(line.item);
        if (price == kPrices.end()) throw std::invalid_argument("there is no " + line.item);
        sum += price->second * line.count;
    }
    return sum * (1 - discount.value_or(0));
}

/// Stands in for a language model: three calls, of which the first two are wrong.
cadre::Reply model(const cadre::Request& request)
{
    switch (request.nth) {
    case 1: return cadre::calls("total", R"({"order": [{"item": "tea", "count": "two"}]})");
    case 2: return cadre::calls("total", R"({"order": [{"item": "coffee", "count": 2}]})");
    case 3: return cadre::calls("total", R"({"order": [{"item": "tea", "count": 2}, {"item": "cake", "count": 1}]})");
    default: return cadre::says("That makes " + request.messages.back().text + ".");
    }
}

}  // namespace

int main()
{
    cadre::Engine engine;
    engine.tool("total", "What an order costs.", {"order", {"discount", "between 0 and 1"}}, total,
                {.repeats = cadre::Repeats::pure});
    engine.use_model(model);

    const cadre::Task task = engine.start({.name = "waiter", .tools = {"total"}}, "Two teas and a cake, please.");
    for (const cadre::Event& event : task.events()) {
        if (event.kind == cadre::EventKind::tool_call)
            std::printf("%s %s\n", event.tool.c_str(), event.arguments.c_str());
        if (event.kind == cadre::EventKind::tool_result)
            std::printf("  %s%s\n", event.failed ? "failed: " : "", event.text.c_str());
    }
    std::printf("%s\n", task.wait().text.c_str());
}
