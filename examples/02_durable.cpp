// A task that outlives its program, and pays once, whatever happens.
//
// The first process starts the task and dies in the middle of a payment, as in a power cut. The second one finds the task in the same
// home and resumes it. Whether the money has left, nobody can know but the bank: a tool that must not be called twice (Repeats::once)
// is not called again, a person is asked. Meanwhile `CADRE_HOME=payments cadre show` and `cadre answer` would do as well.
#include <cadre/engine.hpp>

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// What the task does. Each step is on record before the next one begins.
cadre::Async<std::string> pay(cadre::Run& run)
{
    const cadre::ToolReply checked = co_await run.use("check", R"({"account": "Ann"})");
    const cadre::ToolReply paid = co_await run.use("transfer", R"({"account": "Ann", "amount": 100})");
    co_return checked.text + ", " + paid.text;
}

void add_means(cadre::Engine& engine, bool power_fails)
{
    const auto check = [](std::string account) {
        std::printf("  looking up the account of %s\n", account.c_str());
        return "the account is open";
    };
    const auto transfer = [power_fails](std::string account, int amount) {
        std::printf("  %d leave for %s\n", amount, account.c_str());
        std::fflush(stdout);
        if (power_fails) std::_Exit(1);
        return "paid";
    };
    engine.tool("check", "Looks up an account.", {"account"}, check, {.repeats = cadre::Repeats::pure});
    engine.tool("transfer", "Sends money.", {"account", "amount"}, transfer, {.repeats = cadre::Repeats::once});
    engine.add_pattern("pay@1", pay);
}

void first_process()
{
    cadre::Engine engine({.home = "payments"});
    add_means(engine, true);
    engine.run({.name = "clerk", .tools = {"check", "transfer"}}, "Pay 100 to Ann", {.pattern = "pay@1"});
}

void second_process()
{
    cadre::Engine engine({.home = "payments"});
    add_means(engine, false);
    for (const cadre::Task& task : engine.resume_all()) {
        const cadre::Outcome asked = task.wait();
        std::printf("%s: %s\n", name_of(asked.questions.at(0).kind).data(), asked.text.c_str());
        task.answer(cadre::yes("paid, says the bank"));
        const cadre::Outcome outcome = task.wait();
        std::printf("%s: %s\n", name_of(outcome.status).data(), outcome.text.c_str());
    }
}

}  // namespace

int main()
{
    const pid_t first = ::fork();
    if (first == 0) {
        first_process();
        std::_Exit(0);
    }
    ::waitpid(first, nullptr, 0);
    std::printf("the power is back\n");
    second_process();
}
