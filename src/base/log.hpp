// JSON-lines logging: one object a line with time, level, message, correlation ids and fields; everything redacted.
#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cadre {

enum class Level { debug, info, warning, error, off };

std::string_view name_of(Level level);
std::optional<Level> find_level(std::string_view name);

/// A name and what it holds; both are views, so a field lives no longer than the call. A name that means a secret shows
/// nothing of its value. A name that the line has already (`time`, `level`, `message`, `truncated`, an id, an earlier
/// field) gets a `_` at its end.
struct LogField {
    std::string_view name;
    std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool> value;

    LogField(std::string_view n, std::string_view v) : name(n), value(v) {}
    LogField(std::string_view n, const char* v) : name(n), value(std::string_view(v)) {}
    LogField(std::string_view n, bool v) : name(n), value(v) {}
    LogField(std::string_view n, double v) : name(n), value(v) {}
    LogField(std::string_view n, int v) : name(n), value(std::int64_t{v}) {}
    LogField(std::string_view n, unsigned v) : name(n), value(std::uint64_t{v}) {}
    LogField(std::string_view n, std::int64_t v) : name(n), value(v) {}
    LogField(std::string_view n, std::uint64_t v) : name(n), value(v) {}
};
using LogFields = std::initializer_list<LogField>;

/// Where lines go. `write` gets one whole line with its newline, and may be called from any thread.
class LogSink {
public:
    virtual ~LogSink() = default;
    virtual void write(Level level, std::string_view line) = 0;
};

/// Writes whole lines to a file descriptor it does not own; a full disk or closed pipe costs the line, not the program.
std::shared_ptr<LogSink> descriptor_sink(int descriptor);

/// A cheap value: copy it, hand it on, narrow it. Safe from any thread.
///     log.info("server started", {{"port", 8080}});
///     Log task_log = log.with("task", id);       // every line now carries the task
class Log {
public:
    Log(std::shared_ptr<LogSink> sink, Level minimum, const Clock& clock = system_clock());

    /// A log whose lines also carry this correlation id; of two with one name the later counts.
    Log with(std::string_view name, std::string_view id) const;

    bool enabled(Level level) const { return level >= minimum_; }

    void debug(std::string_view message, LogFields fields = {}) const { write(Level::debug, message, fields); }
    void info(std::string_view message, LogFields fields = {}) const { write(Level::info, message, fields); }
    void warning(std::string_view message, LogFields fields = {}) const { write(Level::warning, message, fields); }
    void error(std::string_view message, LogFields fields = {}) const { write(Level::error, message, fields); }

private:
    struct Id {
        std::string name;
        std::string json;
    };

    void write(Level level, std::string_view message, LogFields fields) const;

    std::shared_ptr<LogSink> sink_;
    Level minimum_;
    const Clock* clock_;
    std::vector<Id> ids_;  // redacted, no name twice
};

}  // namespace cadre
