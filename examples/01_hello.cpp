// An agent with one tool and a model that is a function, all in memory: the smallest program that does something.
//
// The engine asks the model, the model wants the tool called, the engine calls it and tells the model what came of it, and the model's
// words are the answer. With a model of a vendor instead (03_models.cpp), nothing else changes.
#include <cadre/engine.hpp>

#include <cstdio>

namespace {

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
    engine.tool("add", "Adds two numbers.", {"a", "b"}, [](int a, int b) { return a + b; });
    engine.use_model(model);

    const cadre::Outcome outcome = engine.run({.name = "clerk", .tools = {"add"}}, "What is 20 + 22?");
    std::printf("%s: %s\n", name_of(outcome.status).data(), outcome.text.c_str());
}
