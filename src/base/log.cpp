#include "base/log.hpp"

#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "base/utf8.hpp"

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
constexpr std::size_t kMaxId = 256;
constexpr std::string_view kTruncated = R"(,"truncated":true)";
constexpr std::size_t kEnd = kTruncated.size() + 2;  // and the brace and the newline

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

/// Appends `,"name":value` if the line stays below `limit`. Returns whether all of it did.
bool append_field(std::string& line, const LogField& field, std::size_t limit)
{
    const std::size_t start = line.size();
    line += ',';
    append_json_string(line, field.name);
    line += ':';
    bool whole = true;
    if (is_secret_name(field.name)) append_json_string(line, kMasked);
    else if (const auto* text = std::get_if<std::string_view>(&field.value))
        whole = append_cut(line, *text, limit - std::min(limit, line.size()));
    else std::visit([&](auto value) { JsonWriter(line).value(value); }, field.value);
    if (line.size() <= limit) return whole;
    line.resize(start);
    return false;
}

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

    void write(std::string_view line) override
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
    append_field(narrowed.context_, {name, id}, context_.size() + kMaxId);
    return narrowed;
}

void Log::write(Level level, std::string_view message, LogFields fields) const
{
    if (!enabled(level)) return;
    std::string line;
    JsonWriter(line).begin_object().field("time", to_iso(clock_->now())).field("level", name_of(level)).key("message");
    bool whole = append_cut(line, message, kMaxMessage);
    line += context_;
    for (const auto& field : fields) whole = append_field(line, field, kMaxLine - kEnd) && whole;
    if (!whole) line += kTruncated;
    line += "}\n";
    sink_->write(line);
}

}  // namespace cadre
