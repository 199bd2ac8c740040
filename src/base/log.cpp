#include "base/log.hpp"

#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "base/utf8.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace cadre {

namespace {

constexpr std::array<std::string_view, 5> kLevels = {"debug", "info", "warning", "error", "off"};

constexpr std::size_t kMaxLine = 16'384;
constexpr std::size_t kMaxMessage = kMaxLine / 2;  // so that ids and some fields always find room
constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxId = 256;
constexpr std::string_view kTruncated = R"(,"truncated":true)";
constexpr std::size_t kMaxBody = kMaxLine - kTruncated.size() - 2;  // the brace and the newline
constexpr std::array<std::string_view, 4> kTaken = {"time", "level", "message", "truncated"};

/// Appends `text`, redacted, as a JSON string of at most `room` bytes. Returns whether all of it fitted.
bool append_cut(std::string& line, std::string_view text, std::size_t room)
{
    const std::string shown = redact(text);  // before it is cut: half a secret would not be recognised
    const std::size_t start = line.size();
    for (std::size_t length = std::min(shown.size(), std::max<std::size_t>(room, 2) - 2);; length /= 2) {
        append_json_string(line, utf8_prefix(shown, length));
        if (line.size() - start <= room || length == 0) return length == shown.size();
        line.resize(start);  // escapes made it too long
    }
}

std::string shown_name(std::string_view name)
{
    const std::string shown = redact(name);
    return std::string(utf8_prefix(shown, kMaxName));
}

struct Shown {
    std::string json;
    bool whole = true;
};

Shown shown_value(const LogField& field, std::size_t room)
{
    Shown shown;
    const bool is_secret = is_secret_name(field.name);
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
        shown.whole = append_cut(shown.json, is_secret ? kMasked : *text, room);
        return shown;
    }
    std::visit([&](auto value) { JsonWriter(shown.json).value(value); }, field.value);
    if (is_secret && !is_count(field.name, shown.json)) shown.json = fmt::format(R"("{}")", kMasked);
    return shown;
}

/// A line that is being written: no name twice, and no longer than a line may be.
class Line {
public:
    Line(Time now, Level level, std::string_view message)
    {
        JsonWriter(text_).begin_object().field("time", to_iso(now)).field("level", name_of(level)).key("message");
        whole_ = append_cut(text_, message, kMaxMessage);
    }

    /// For a value, if its name is as long as names get when every character is escaped.
    std::size_t room() const { return kMaxBody - std::min(kMaxBody, text_.size() + 6 * kMaxName); }

    void add(std::string name, const Shown& value)
    {
        while (std::ranges::find(names_, name) != names_.end()) name += '_';
        const std::size_t start = text_.size();
        text_ += ',';
        append_json_string(text_, name);
        text_.append(1, ':').append(value.json);
        names_.push_back(std::move(name));

        const bool fits = text_.size() <= kMaxBody;
        if (!fits) text_.resize(start);
        whole_ = whole_ && fits && value.whole;
    }

    std::string finished()
    {
        if (!whole_) text_ += kTruncated;
        return std::move(text_.append("}\n"));
    }

private:
    std::string text_;
    std::vector<std::string> names_{kTaken.begin(), kTaken.end()};
    bool whole_ = true;
};

/// While it lives, writing to a pipe that nobody reads fails instead of killing the program.
class NoPipeSignal {
public:
    NoPipeSignal()
    {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    NoPipeSignal(const NoPipeSignal&) = delete;
    NoPipeSignal& operator=(const NoPipeSignal&) = delete;
    ~NoPipeSignal()
    {
        const timespec at_once{};
        if (happened_) sigtimedwait(&pipe_, nullptr, &at_once);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }

    void happened() { happened_ = true; }

private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool happened_ = false;
};

class DescriptorSink : public LogSink {
public:
    explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}

    void write(Level, std::string_view line) override
    {
        NoPipeSignal signal;
        // Nearly always one call: lines of threads and processes that share the descriptor do not mix.
        while (!line.empty()) {
            const ssize_t written = ::write(descriptor_, line.data(), line.size());
            if (written < 0 && errno == EINTR) continue;
            if (written < 0 && errno == EPIPE) signal.happened();
            if (written <= 0) return;
            line.remove_prefix(static_cast<std::size_t>(written));
        }
    }

private:
    int descriptor_;
};

}  // namespace

std::string_view name_of(Level level)
{
    return kLevels.at(static_cast<std::size_t>(level));
}

std::optional<Level> find_level(std::string_view name)
{
    const auto found = std::ranges::find(kLevels, name);
    if (found == kLevels.end()) return std::nullopt;
    return static_cast<Level>(found - kLevels.begin());
}

std::shared_ptr<LogSink> descriptor_sink(int descriptor)
{
    return std::make_shared<DescriptorSink>(descriptor);
}

Log::Log(std::shared_ptr<LogSink> sink, Level minimum, const Clock& clock)
    : sink_(std::move(sink)), minimum_(minimum), clock_(&clock)
{}

Log Log::with(std::string_view name, std::string_view id) const
{
    Log narrowed = *this;
    Id added{shown_name(name), shown_value({name, id}, kMaxId).json};
    if (std::ranges::find(kTaken, added.name) != kTaken.end()) added.name += '_';
    const auto same = std::ranges::find(narrowed.ids_, added.name, &Id::name);
    if (same != narrowed.ids_.end()) *same = std::move(added);
    else narrowed.ids_.push_back(std::move(added));
    return narrowed;
}

void Log::write(Level level, std::string_view message, LogFields fields) const
{
    if (!enabled(level)) return;
    Line line(clock_->now(), level, message);
    for (const auto& [name, json] : ids_) line.add(name, {json});
    for (const auto& field : fields) line.add(shown_name(field.name), shown_value(field, line.room()));
    sink_->write(level, line.finished());
}

}  // namespace cadre
