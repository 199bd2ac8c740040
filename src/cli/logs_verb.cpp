#include "cli/logs_verb.hpp"

#include "base/error.hpp"
#include "base/log_file.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/log_text.hpp"
#include "cli/output.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <deque>
#include <fcntl.h>
#include <fstream>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUsualLogLines = 50;
constexpr std::size_t kMostLogLines = 1'000'000;

struct LogChoice {
    Level minimum = Level::debug;
    std::size_t lines = kUsualLogLines;
};

std::size_t line_count(const Args& args)
{
    const auto given = args.find("lines");
    if (!given) return kUsualLogLines;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), number);
    if (error != std::errc{} || end != given->data() + given->size() || number > kMostLogLines)
        throw Error(Code::invalid,
                    fmt::format("--lines takes a number up to {}, not {}", kMostLogLines, in_quotes(*given)));
    return number;
}

Level level_in(const Args& args)
{
    const auto given = args.find("level");
    if (!given) return Level::debug;
    const auto level = find_level(*given);
    if (!level || *level == Level::off)
        throw Error(Code::invalid,
                    fmt::format("--level takes debug, info, warning or error, not {}", in_quotes(*given)));
    return *level;
}

void print_line(std::string_view line, const Output& output)
{
    if (output.json) return output.print(fmt::format("{}\n", line));
    output.print(log_text(line, system_clock().now(), output.out.paint) + "\n");
}

/// Reads what has been added since, also when the file was put aside meanwhile.
class LogReader {
public:
    explicit LogReader(fs::path file) : file_(std::move(file)) {}
    LogReader(const LogReader&) = delete;
    LogReader& operator=(const LogReader&) = delete;
    ~LogReader() { close(); }

    /// Calls `use` with every whole line that is there now.
    template <class Use>
    void read(Use use)
    {
        while (true) {
            if (descriptor_ >= 0) drain(use);
            if (!was_replaced()) return;
            if (descriptor_ >= 0) drain(use);  // what was written between the two
            close();
            descriptor_ = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
            if (descriptor_ < 0) return;
        }
    }

    /// What was there before is somebody else's to print.
    void skip_to_end()
    {
        read([](std::string_view) {});
    }

private:
    template <class Use>
    void drain(Use& use)
    {
        std::array<char, 65536> space;
        for (ssize_t got = 0; (got = ::read(descriptor_, space.data(), space.size())) > 0;)
            for (const char c : std::string_view(space.data(), static_cast<std::size_t>(got))) {
                if (c != '\n') {
                    cut_ += c;
                    continue;
                }
                use(std::string_view(cut_));
                cut_.clear();
            }
    }

    bool was_replaced() const
    {
        struct stat named{};
        struct stat ours{};
        if (::stat(file_.c_str(), &named) != 0) return false;
        return descriptor_ < 0 || ::fstat(descriptor_, &ours) != 0 || named.st_ino != ours.st_ino;
    }

    void close()
    {
        if (descriptor_ >= 0) ::close(descriptor_);
        descriptor_ = -1;
        cut_.clear();
    }

    fs::path file_;
    int descriptor_ = -1;
    std::string cut_;  // of a line whose end has not been written yet
};

/// Says when something has changed in a folder.
class FolderWatch {
public:
    explicit FolderWatch(const fs::path& folder) : descriptor_(::inotify_init1(IN_CLOEXEC))
    {
        const std::uint32_t what = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM;
        if (descriptor_ < 0 || ::inotify_add_watch(descriptor_, folder.c_str(), what) < 0)
            throw Error(Code::unavailable,
                        fmt::format("cannot follow {}: {}", folder.string(), std::generic_category().message(errno)));
    }
    FolderWatch(const FolderWatch&) = delete;
    FolderWatch& operator=(const FolderWatch&) = delete;
    ~FolderWatch()
    {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    void wait() const
    {
        alignas(inotify_event) std::array<char, 4096> events;
        while (::read(descriptor_, events.data(), events.size()) < 0 && errno == EINTR) {}
    }

private:
    int descriptor_;
};

std::deque<std::string> last_lines(const fs::path& file, const LogChoice& choice)
{
    std::deque<std::string> lines;
    for (const fs::path& part : log_files(file)) {
        std::ifstream in(part);
        for (std::string line; std::getline(in, line);) {
            if (level_of(line) < choice.minimum) continue;
            lines.push_back(std::move(line));
            if (lines.size() > choice.lines) lines.pop_front();
        }
    }
    return lines;
}

[[noreturn]] void follow_log(const fs::path& file, const LogChoice& choice, const Output& output)
{
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    const FolderWatch watch(file.parent_path());
    LogReader reader(file);
    reader.skip_to_end();
    for (const std::string& line : last_lines(file, choice)) print_line(line, output);
    while (true) {
        reader.read([&](std::string_view line) {
            if (level_of(line) >= choice.minimum) print_line(line, output);
        });
        watch.wait();
    }
}

int logs(const Args& args, Output& output)
{
    const LogChoice choice{.minimum = level_in(args), .lines = line_count(args)};
    const fs::path file = log_file_here();
    if (args.has("follow")) follow_log(file, choice, output);
    const auto lines = last_lines(file, choice);
    for (const std::string& line : lines) print_line(line, output);
    if (lines.empty() && !output.json && !output.quiet)
        output.complain(log_files(file).empty() ? fmt::format("nothing has been logged yet in {}\n", file.string())
                                                : "no lines of that level\n");
    return 0;
}

}  // namespace

Verb logs_verb()
{
    return {
        .name = "logs",
        .summary = "Show the log: what MCP servers say, providers that fail, errors",
        .flags =
            {{.name = "follow", .letter = 'f', .help = "Keep printing new lines, until Ctrl-C"},
             {.name = "lines", .letter = 'n', .value = "N", .help = "How many of the last lines; 50 when left out"},
             {.name = "level", .value = "LEVEL", .help = "Only these and graver ones: debug, info, warning, error"}},
        .text =
            "The log is the file logs/cadre.log of the home, one JSON object a line; --json prints the lines as they "
            "are. It is put aside when it has 4 MiB, and three older files are kept.\n\n"
            "What is written is set by log_level in cadre.yaml, or by the variable CADRE_LOG_LEVEL or LOG_LEVEL: "
            "debug, "
            "info (when nothing is set), warning or error. What a task did is not in the log: cadre show and cadre "
            "tail "
            "have that.",
        .examples = {{"cadre logs", "The last lines"},
                     {"cadre logs -f --level warning", "What goes wrong, as it happens"},
                     {"cadre logs --json -n 1000 | jq -r 'select(.server) | .text'", "What MCP servers said"}},
        .run = logs,
    };
}

}  // namespace cadre::cli
