// A pattern of your own: how a task runs, as a coroutine. This one has many texts judged at once, and writes a report.
//
// A pattern touches the world only through its Run. Each effect (think, use, ask, sleep) is on record with what came of it, so a task
// that is resumed after a crash gets the outcomes that it had: a node that has ended never runs again, and branches of a map that had
// come to an end are not repeated. Between effects it is plain code without clocks, chance or files.
#include <cadre/engine.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

cadre::Async<std::string> judge(cadre::Run& run, std::string text)
{
    run.tell("Is this friendly? " + text);
    co_return text + ": " + (co_await run.think()).text;
}

cadre::Async<std::string> judge_all(cadre::Run& run)
{
    const std::vector<std::string> texts{"Good morning", "Go away", "Thank you"};
    std::string report;
    for (const std::string& line : co_await run.map(texts, judge)) report += line + "\n";
    co_return report;
}

cadre::Async<std::string> review(cadre::Run& run)
{
    const std::string report = co_await run.node("judge", judge_all);
    const cadre::Answer answer = co_await run.ask("Publish this?\n" + report);
    co_return answer.yes ? report : "not published: " + answer.text;
}

/// Stands in for a language model.
cadre::Reply model(const cadre::Request& request)
{
    return cadre::says(request.messages.back().text.find("Go away") == std::string::npos ? "yes" : "no");
}

}  // namespace

int main()
{
    cadre::Engine engine;
    engine.use_model(model);
    engine.add_pattern("review@1", review);

    const cadre::Task task = engine.start({.name = "reader"}, "Look through the letters.", {.pattern = "review@1"});
    std::printf("%s", task.wait().text.c_str());
    task.answer(cadre::yes());
    const cadre::Outcome outcome = task.wait();
    std::printf("%s after %d model calls\n", name_of(outcome.status).data(), outcome.usage.model_calls);
}
