#include "cli/completion_words.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "cli/here.hpp"
#include "cli/look_verbs.hpp"
#include "cli/read_only_home.hpp"
#include "cli/task_text.hpp"
#include "cli/verb.hpp"
#include "engine/session.hpp"
#include "home/project/project.hpp"

#include <algorithm>
#include <filesystem>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

/// More than fit on a screen are of no use to whoever presses a key.
constexpr std::size_t kMostTasks = 50;

struct ValueOf {
    std::string_view name;  // of the argument or flag; it means the same in every verb
    std::string_view kind;
};

constexpr ValueOf kArguments[] = {{"task", "tasks"},         {"a", "tasks"},      {"b", "tasks"}, {"file", "runnable"},
                                  {"provider", "providers"}, {"what", "runnable"}};
constexpr ValueOf kFlags[] = {{"agent", "agents"},     {"next-agent", "agents"}, {"workflow", "workflows"},
                              {"status", "statuses"},  {"mode", "modes"},        {"level", "levels"},
                              {"session", "sessions"}, {"save", "tasks"}};

std::string_view kind_in(std::span<const ValueOf> table, std::string_view name)
{
    const auto found = std::ranges::find(table, name, &ValueOf::name);
    return found == table.end() ? std::string_view() : found->kind;
}

Async<std::vector<std::string>> newest_tasks(ReadOnlyHome& onlooker)
{
    std::vector<std::string> words;
    for (const storage::TaskEntry& entry : co_await onlooker.queries().tasks(onlooker.who(), {.limit = kMostTasks}))
        words.push_back(short_id(entry.task));
    co_return words;
}

Async<std::vector<std::string>> newest_sessions(ReadOnlyHome& onlooker)
{
    std::vector<std::string> words;
    for (const auto& session : co_await onlooker.queries().sessions(onlooker.who()))
        if (words.size() < kMostTasks) words.push_back(engine::short_of(session.id));
    co_return words;
}

std::vector<std::string> home_words(std::string_view kind)
{
    ReadOnlyHome onlooker;
    if (!onlooker.has_journal()) return {};
    return onlooker.run(kind == "tasks" ? newest_tasks(onlooker) : newest_sessions(onlooker));
}

/// Files of the project's folder and of the home's: their names without what they end in.
void add_file_names(std::vector<std::string>& words, std::string_view folder)
{
    for (const fs::path& root : {project_here()->folder(), home_here()}) {
        std::error_code error;
        for (const fs::directory_entry& entry : fs::directory_iterator(root / folder, error)) {
            const std::string end = entry.path().extension().string();
            if (end == ".yaml" || end == ".yml" || end == ".json") words.push_back(entry.path().stem().string());
        }
    }
}

std::vector<std::string> known_words(std::string_view kind)
{
    std::vector<std::string> words;
    if (kind == "tasks" || kind == "sessions") return home_words(kind);
    if (kind == "statuses") return statuses();
    if (kind == "modes") return {"autonomous", "hitl", "step"};
    if (kind == "levels") return {"debug", "info", "warning", "error"};
    if (kind == "agents" || kind == "runnable") add_file_names(words, "agents");
    if (kind == "workflows" || kind == "runnable") add_file_names(words, "workflows");
    if (kind == "runnable") add_file_names(words, "teams");
    if (kind == "providers")
        for (const auto& [name, provider] : project_here()->providers().providers) words.push_back(name);
    return words;
}

}  // namespace

std::string_view words_for(const Argument& argument)
{
    return argument.choices ? std::string_view() : kind_in(kArguments, argument.name);
}

std::string_view words_for(const Flag& flag)
{
    return kind_in(kFlags, flag.name);
}

std::vector<std::string> kinds_of_words()
{
    std::vector<std::string> kinds;
    for (const auto& table : {std::span<const ValueOf>(kArguments), std::span<const ValueOf>(kFlags)})
        for (const ValueOf& one : table)
            if (std::ranges::find(kinds, one.kind) == kinds.end()) kinds.emplace_back(one.kind);
    std::ranges::sort(kinds);
    return kinds;
}

std::vector<std::string> completion_words(std::string_view kind)
{
    std::vector<std::string> words;
    try {
        words = known_words(kind);
    } catch (const Error&) {
        // a faulty project, or a home that cannot be read
    }
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

}  // namespace cadre::cli
