// What a task does, as it does it: words of the model while it speaks, and calls of tools.
//
// events() is a range that blocks for the next event; on_event() calls a function instead. Both have every event from the first on, in
// order, also for who comes late; only the single words of a model are not kept. Here the model is a function that speaks word by
// word; those of vendors do so by themselves.
#include <cadre/engine.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

namespace {

cadre::Reply model(const cadre::Request& request, const cadre::Say& say)
{
    if (request.messages.back().role != "tool") return cadre::calls("clock_tower", "{}");
    for (const char* word : {"It ", "struck ", "twelve."}) {
        say(word);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));  // as people speak
    }
    return {};
}

}  // namespace

int main()
{
    cadre::Engine engine;
    engine.tool("clock_tower", "Looks at the clock tower.", [] { return 12; }, {.repeats = cadre::Repeats::pure});
    engine.use_model(model);

    const cadre::Task task = engine.start({.name = "watchman", .tools = {"clock_tower"}}, "What time is it?");
    for (const cadre::Event& event : task.events()) switch (event.kind) {
        case cadre::EventKind::text: std::printf("[%s]\n", event.text.c_str()); break;
        case cadre::EventKind::tool_call: std::printf("calls %s\n", event.tool.c_str()); break;
        case cadre::EventKind::tool_result: std::printf("is told %s\n", event.text.c_str()); break;
        case cadre::EventKind::ended: std::printf("%s: %s\n", name_of(event.status).data(), event.text.c_str()); break;
        default: break;
        }

    std::atomic<int> heard = 0;
    task.on_event([&heard](const cadre::Event& event) { heard += event.number > 0; });
    task.wait();  // returns when listeners have heard everything
    std::printf("%d events\n", heard.load());
}
