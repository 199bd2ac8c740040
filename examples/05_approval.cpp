// A call that needs a person's consent, given by another thread than the one that watches the task.
//
// `needs_approval` has the engine ask before each call. The task then waits, as long as it takes, and nothing of it is in memory if it
// has a home. Whoever answers sees the whole call, and may say yes, no, or yes with other arguments.
#include <cadre/engine.hpp>

#include <cstdio>
#include <future>
#include <string>
#include <thread>

namespace {

/// Stands in for a language model.
cadre::Reply model(const cadre::Request& request)
{
    const cadre::Message& last = request.messages.back();
    if (last.role == "tool") return cadre::says("Done: " + last.text);
    return cadre::calls("transfer", R"({"to": "Ann", "amount": 10000})");
}

/// A person at another desk, who thinks that this is too much.
void person(cadre::Task task, std::future<cadre::Question> asked)
{
    const cadre::Question question = asked.get();
    std::printf("  the person reads: %s\n", question.text.c_str());
    task.answer(cadre::instead(R"({"to": "Ann", "amount": 100})"), question.id);
}

}  // namespace

int main()
{
    cadre::Engine engine;
    const auto transfer = [](std::string to, int amount) { return std::to_string(amount) + " sent to " + to; };
    engine.tool("transfer", "Sends money.", {"to", "amount"}, transfer, {.needs_approval = true});
    engine.use_model(model);

    const cadre::Task task = engine.start({.name = "clerk", .tools = {"transfer"}}, "Pay Ann.");
    std::promise<cadre::Question> asked;
    std::thread other(person, task, asked.get_future());
    for (const cadre::Event& event : task.events(cadre::Until::end)) {
        if (event.kind == cadre::EventKind::question) asked.set_value(event.question);
        if (event.kind == cadre::EventKind::ended) std::printf("%s\n", event.text.c_str());
    }
    other.join();
}
