// A task that outlives its program: it asks a person before it pays, and pays once, whatever happens.
#include <cadre/engine.hpp>

#include <cstdio>

namespace {

cadre::Async<std::string> pay(cadre::Run& run)
{
    const cadre::Answer answer = co_await run.ask(run.prompt() + "?");
    if (!answer.yes) co_return "Not paid.";
    co_return (co_await run.use("transfer", R"({"to": "Ann", "amount": 100})")).text;
}

std::string transfer(const cadre::Arguments& arguments)
{
    std::printf("  the money leaves for %s\n", arguments.text("to").c_str());
    return "Paid.";
}

/// What a program does each time it is started: begins, or goes on where the last one stopped.
void start_program()
{
    cadre::Engine engine("payments");
    engine.add_tool({.name = "transfer", .repeats = cadre::Repeats::once, .call = transfer});
    engine.add_pattern("pay@1", pay);
    const auto open = engine.unfinished();
    const auto outcome = open.empty() ? engine.run("pay@1", {.name = "clerk", .tools = {"transfer"}}, "Pay 100 to Ann")
                                      : engine.answer(open.front(), {.yes = true});
    std::printf("%s: %s\n", outcome.status.c_str(), outcome.text.c_str());
}

}  // namespace

int main()
{
    start_program();  // stops at the question
    start_program();  // is told yes, pays and ends
}
