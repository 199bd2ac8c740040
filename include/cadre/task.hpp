// A task under way, or one that was: what it does, what it asks, and what came of it.
#pragma once

#include "cadre/export.hpp"
#include "cadre/failure.hpp"
#include "cadre/question.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre {

namespace library {
class Core;
class Feed;
struct Opening;
}  // namespace library

enum class Status : std::uint8_t {
    pending,
    running,
    interrupted,  // nobody drives it: the program that did has ended. resume() continues it
    waiting,      // a person must answer
    paused,       // somebody, or its budget, has stopped it
    completed,
    failed,
    cancelled,
};
/// As on the wire: `completed`.
CADRE_API std::string_view name_of(Status status);
/// Completed, failed or cancelled: nothing more happens.
constexpr bool is_over(Status status)
{
    return status == Status::completed || status == Status::failed || status == Status::cancelled;
}

/// What a task has used so far. `dollars` by the price list of the model's vendor; 0 when nobody knows its prices.
struct Usage {
    int model_calls = 0;
    long long input_tokens = 0;
    long long output_tokens = 0;
    double dollars = 0;
};

/// How a task stands.
struct Outcome {
    std::string task{};  // its id
    Status status = Status::pending;
    std::string text{};          // the answer; what it asks; why it failed or paused
    std::optional<Code> code{};  // of a task that failed
    std::vector<Question> questions{};
    Usage usage{};
};

enum class EventKind : std::uint8_t {
    started,     // text: what it was asked to do
    model_call,  // agent
    text,        // agent; text: a piece of what the model says, as it comes. Not kept: who comes later does not see it.
                 // failed: the answer broke off, and the pieces so far are not a part of it
    model_reply,  // agent, text
    tool_call,    // agent, tool, arguments, call
    progress,     // text: what a tool, whose `call` it is, or a provider says meanwhile. Not kept
    tool_result,  // tool, call; text: the result; failed
    question,     // question, agent; text: what a person reads
    answer,       // text: the person's words; question: its id; failed: a no
    paused,       // text: why
    resumed,      // text: why
    error,        // text: what went wrong; failed: for good
    retry,        // text: how
    instruction,  // text: what a person has told it
    breakpoint,   // text: which
    ended,        // status; text: the answer, or why there is none
    gap,          // pieces of text are missing here, because nobody took them in time. What counts is kept
    other,        // `json` has all of it
};
/// `tool_call`.
CADRE_API std::string_view name_of(EventKind kind);

/// Something that has happened to a task. Which fields say something is written beside each kind.
struct Event {
    EventKind kind = EventKind::other;
    std::uint32_t number = 0;  // from 1 on, the same for everybody; 0: not kept
    std::chrono::sys_time<std::chrono::milliseconds> time{};
    std::string agent{};
    std::string text{};
    std::string tool{};
    std::string arguments{};  // a JSON object
    std::string call{};       // id of the tool call
    bool failed = false;
    Status status = Status::running;
    Question question{};
    std::string json{};  // the whole event, as `cadre tail --json` has it; empty where it is not kept
};

/// How long a reader of events stays.
enum class Until : std::uint8_t {
    rest,  // until the task has ended, waits for a person or is paused
    end,   // until it has ended, whoever answers and resumes it
};

/// What happens to a task, as it happens: blocks for the next one. Complete and in order, also for who comes late. After it has come to
/// its end because the task rests, it continues there when it is read again. One thread at a time reads it.
class CADRE_API Events {
public:
    Events(Events&&) noexcept;
    Events& operator=(Events&&) noexcept;
    ~Events();

    /// Nothing: the end.
    std::optional<Event> next();

    class iterator {
    public:
        using value_type = Event;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;

        iterator() = default;
        explicit iterator(Events& events) : events_(&events) { ++*this; }
        const Event& operator*() const { return *now_; }
        const Event* operator->() const { return &*now_; }
        iterator& operator++()
        {
            now_ = events_->next();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(std::default_sentinel_t) const { return !now_; }

    private:
        Events* events_ = nullptr;
        std::optional<Event> now_;
    };
    iterator begin() { return iterator(*this); }
    std::default_sentinel_t end() const { return {}; }

private:
    friend class Task;
    Events(std::unique_ptr<library::Feed> feed, Until until);

    std::unique_ptr<library::Feed> feed_;
    Until until_;
};

/// A task of an engine. A cheap value, for all threads. It does not keep the engine alive: once that is gone, everything but id()
/// throws Failure(unavailable).
class CADRE_API Task {
public:
    const std::string& id() const { return id_; }

    Status status() const;
    /// How it stands now, with questions and usage.
    Outcome look() const;

    /// Waits until it has ended, waits for a person, or is paused.
    Outcome wait() const;
    /// The same, at most so long; nothing: it is still at work.
    std::optional<Outcome> wait_for(std::chrono::milliseconds duration) const;

    /// From its first event on, or after the one of that number. Of a task that was just started, the first who asks, by this function or
    /// the next, also misses no word of its models, however quick they are.
    Events events(Until until = Until::rest, std::uint32_t after = 0) const;
    /// `on_event` is called with every event from its first on, one after the other, on a thread of the engine's; it may call whatever it
    /// likes. wait() returns after it has heard of everything up to there. What it throws ends it, and is logged.
    void on_event(std::function<void(const Event&)> on_event) const;

    /// Answers the only open question, or the one of that id. Failure(conflict) when it was answered before.
    void answer(Answer answer, const std::string& question = {}) const;
    void answer(std::string text, const std::string& question = {}) const { answer(yes(std::move(text)), question); }
    void answer(const char* text, const std::string& question = {}) const { answer(yes(text), question); }

    /// Stops it for good. False: it had ended already.
    bool cancel(const std::string& reason = {}) const;
    /// It stops when what is under way is done.
    void pause() const;
    /// Continues where it stopped: after a pause, a crash, or in another process. One that only waits for a person stays where it is.
    void resume() const;
    /// A word to the agent, which it hears before its next turn.
    void instruct(const std::string& text) const;

private:
    friend class library::Core;
    Task(std::shared_ptr<library::Core> core, std::string id, std::shared_ptr<library::Opening> opening)
        : core_(std::move(core)), id_(std::move(id)), opening_(std::move(opening))
    {}

    std::shared_ptr<library::Core> core_;
    std::string id_;
    std::shared_ptr<library::Opening> opening_;  // of a task that was started here: a reader from before its beginning
};

}  // namespace cadre
