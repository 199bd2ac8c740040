// An agent with one tool and a model that is a function, all in memory.
#include <cadre/engine.hpp>

#include <cstdio>
#include <string>

namespace {

std::string add(const cadre::Arguments& arguments)
{
    return std::to_string(static_cast<int>(arguments.number("a") + arguments.number("b")));
}

/// Stands in for a language model: it has the tool called, and puts its result into words.
cadre::Reply model(const cadre::Request& request)
{
    const cadre::Message& last = request.messages.back();
    if (last.role == "tool") return cadre::says("It is " + last.text + ".");
    return cadre::calls("add", R"({"a": 20, "b": 22})");
}

}  // namespace

int main()
{
    cadre::Engine engine;
    engine.add_tool({.name = "add", .description = "Adds a and b.", .repeats = cadre::Repeats::pure, .call = add});
    engine.use_model(model);

    const cadre::Agent clerk{.name = "clerk", .instructions = "You add up.", .tools = {"add"}};
    const cadre::Outcome outcome = engine.run(clerk, "What is 20 + 22?");
    std::printf("%s: %s\n", outcome.status.c_str(), outcome.text.c_str());
}
