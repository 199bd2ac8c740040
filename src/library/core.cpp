#include "library/core.hpp"

#include "base/id.hpp"
#include "base/run.hpp"
#include "engine/agent.hpp"
#include "home/models.hpp"
#include "home/project/project.hpp"
#include "library/request.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>

namespace cadre::library {

namespace {

/// The task whose listener this thread is at the moment.
thread_local const Id* listening_to = nullptr;

void hear(const std::function<void(const Event&)>& on_event, const Id& task, const Event& event)
{
    listening_to = &task;
    try {
        on_event(event);
    } catch (...) {
        listening_to = nullptr;
        throw;
    }
    listening_to = nullptr;
}

/// What is being handled, in words.
std::string words_of_current()
{
    try {
        throw;
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "it threw something without words";
    }
}

}  // namespace

Core::Core(const EngineOptions& options) : limits_(options.limits), has_project_(!options.project.empty())
{
    std::promise<void> begun;
    thread_ = std::thread([this, &options, &begun] { work(options, begun); });
    try {
        translated([&] { begun.get_future().get(); });
        use_model(options.model);
    } catch (...) {
        stop();
        throw;
    }
}

Core::~Core()
{
    stop();
}

void Core::work(const EngineOptions& options, std::promise<void>& begun)
{
    std::unique_ptr<Floor> floor;
    try {
        floor = std::make_unique<Floor>(options);
    } catch (...) {
        begun.set_exception(std::current_exception());
        return;
    }
    worker_ = std::this_thread::get_id();
    floor_ = floor.get();
    begun.set_value();  // from here on, others may call; `options` and `begun` are gone
    run(floor->loop, serve(*floor));
}

Async<> Core::serve(Floor& floor)
{
    while (!floor.stopping) co_await floor.stop.wait();
    co_await floor.scope.close();
    floor.readers.clear();
    co_await floor.backend.close();
}

void Core::stop() noexcept
{
    {
        const std::lock_guard lock(mutex_);
        if (floor_)  // the last thing that it is told
            floor_->loop.deliver([floor = floor_] {
                floor->stopping = true;
                floor->stop.notify();
            });
        floor_ = nullptr;
    }
    if (thread_.joinable()) thread_.join();
}

void Core::post(std::function<void(Floor&)> act)
{
    if (std::this_thread::get_id() == worker_)
        throw Failure(Code::conflict,
                      "a pattern runs on its engine's thread and cannot wait for the engine; it works by its Run");
    const std::lock_guard lock(mutex_);
    if (!floor_) throw Failure(Code::unavailable, "the engine was stopped");
    floor_->loop.deliver([act = std::move(act), floor = floor_] { act(*floor); });
}

void Core::use_model(std::string spec)
{
    spec = home::whole_spec(spec, std::filesystem::current_path());
    if (!spec.empty())
        act([spec](Floor& floor) { home::expect_model(*floor.backend.project(), engine::llm_from_spec(spec)); });
    const std::lock_guard lock(mutex_);
    model_ = std::move(spec);
}

Task Core::start(const std::string& name, Agent agent, std::string prompt, StartOptions options)
{
    StartRequest request{
        .name = name, .agent = std::move(agent), .prompt = std::move(prompt), .options = std::move(options)};
    request.limits = limits_;
    {
        const std::lock_guard lock(mutex_);
        request.model = model_;
    }
    request.has_project = has_project_;
    const auto project = act([](Floor& floor) { return floor.backend.project(); });
    auto create = translated([&] { return task_from(project, request); });
    const Id id = new_id();
    create.id = id;
    const std::size_t reader = next_reader();
    auto opening = std::make_shared<Opening>();
    opening->feed = std::make_unique<Feed>(shared_from_this(), reader);
    call([create = std::move(create), reader](Floor& floor) { return begin(floor, create, reader); });
    return Task(shared_from_this(), to_string(id), std::move(opening));
}

Async<> Core::begin(Floor& floor, engine::CreateTask create, std::size_t reader)
{
    floor.readers[reader] = std::make_unique<Reader>(floor.backend, *create.id, floor.backend.watch_new(*create.id));
    co_await floor.backend.create(std::move(create));
}

// ---- events ----

std::size_t Core::next_reader()
{
    const std::lock_guard lock(mutex_);
    return ++readers_;
}

std::unique_ptr<Feed> Core::open_feed(const Id& task, std::uint32_t after)
{
    const std::size_t reader = next_reader();
    act([=](Floor& floor) { floor.readers[reader] = std::make_unique<Reader>(floor.backend, task, after); });
    return std::make_unique<Feed>(shared_from_this(), reader);
}

Feed::~Feed()
{
    try {
        core_->post([reader = reader_](Floor& floor) { floor.readers.erase(reader); });
    } catch (const Failure&) {
        // it went with the engine
    }
}

std::optional<Event> Feed::next(Until until)
{
    return core_->call([reader = reader_, until](Floor& floor) { return floor.readers.at(reader)->next(until); });
}

void Core::listen(const Id& task, std::unique_ptr<Feed> feed, std::function<void(const Event&)> on_event)
{
    act([task, reader = feed->reader(), on_event = std::move(on_event)](Floor& floor) {
        auto own = std::move(floor.readers.at(reader));
        floor.scope.spawn(tell(floor, task, std::move(own), on_event));
    });
}

Async<> Core::tell(Floor& floor, Id task, std::unique_ptr<Reader> reader, std::function<void(const Event&)> on_event)
{
    const auto self = floor.listeners.insert(floor.listeners.end(), {.task = task});
    const auto leave = [&floor, self](Listener*) {
        floor.listeners.erase(self);
        floor.heard.notify();
    };
    const std::unique_ptr<Listener, decltype(leave)> guard(&*self, leave);
    try {
        while (auto event = co_await reader->next(Until::end)) {
            const std::uint32_t number = event->number;
            co_await on(floor.listening,
                        [&on_event, &task, event = std::move(*event)] { hear(on_event, task, event); });
            if (number) self->heard = number;
            floor.heard.notify();
        }
    } catch (const Cancelled&) {
        throw;
    } catch (...) {
        floor.backend.log().error("a listener of the program has failed, and hears no more: " + words_of_current(),
                                  {{"task", to_string(task)}});
    }
}

Async<Outcome> Core::until_rest(Floor& floor, Id task, bool heard)
{
    std::optional<std::uint32_t> before;
    while (true) {
        Rest rest = co_await floor.backend.until_rest(task);
        if (!heard || before == rest.last) co_return std::move(rest.outcome);
        before = rest.last;
        const auto is_behind = [&](const Listener& one) { return one.task == task && one.heard < rest.last; };
        while (std::ranges::any_of(floor.listeners, is_behind)) co_await floor.heard.wait();
        // a listener may have answered: then it no longer rests there
    }
}

bool is_listening_to(const Id& task)
{
    return listening_to && *listening_to == task;
}

}  // namespace cadre::library
