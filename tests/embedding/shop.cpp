// shop HOME begin|continue: has a task whose pattern, tool and model are functions of this program. It prints the task's id and what
// becomes of it, and stays until the task is over; `begin --leave` goes when the task waits for a person.
#include <cadre/engine.hpp>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

cadre::Async<std::string> shop(cadre::Run& run)
{
    const cadre::Answer answer = co_await run.ask(run.prompt() + "?");
    if (!answer.yes) co_return "nothing bought: " + answer.text;
    const std::string words = (co_await run.think()).text;
    co_return (co_await run.use("buy", R"({"item":"tea"})")).text + ", " + words;
}

void print(const std::string& line)
{
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

void follow(const cadre::Task& task, cadre::Until until)
{
    print(task.id());
    for (const cadre::Event& event : task.events(until))
        if (event.kind == cadre::EventKind::question) print("asks: " + event.text);
    const cadre::Outcome outcome = task.wait();
    print(std::string(name_of(outcome.status)) + ": " + outcome.text);
}

}  // namespace

int main(int count, char** words)
{
    if (count < 3) return 2;
    try {
        cadre::Engine engine({.home = words[1]});
        engine.tool("buy", "Buys something.", {"item"}, [](std::string item) { return item + " bought"; });
        engine.use_model([](const cadre::Request&) { return cadre::says("cheaply"); });
        engine.add_pattern("shop@1", shop);
        const bool leaves = count > 3 && std::strcmp(words[3], "--leave") == 0;
        if (std::strcmp(words[2], "begin") == 0)
            follow(engine.start({.name = "shopper", .tools = {"buy"}}, "Buy tea", {.pattern = "shop@1"}),
                   leaves ? cadre::Until::rest : cadre::Until::end);
        else
            for (const cadre::Task& task : engine.resume_all()) follow(task, cadre::Until::end);
    } catch (const cadre::Failure& failure) {
        print(std::string(name_of(failure.code())) + ": " + failure.what());
        return 1;
    }
}
