#include "library/surroundings.hpp"

#include "base/id.hpp"

#include <map>
#include <mutex>
#include <string>
#include <unistd.h>
#include <utility>

namespace cadre::library {

namespace {

using Variables = std::map<std::string, std::string>;

Variables process_variables()
{
    Variables variables;
    for (char** variable = ::environ; variable && *variable; ++variable) {
        const std::string_view text = *variable;
        const std::size_t end = text.find('=');
        if (end != text.npos) variables.emplace(text.substr(0, end), text.substr(end + 1));
    }
    return variables;
}

class FunctionSink final : public LogSink {
public:
    explicit FunctionSink(std::function<void(std::string_view)> function) : function_(std::move(function)) {}

    void write(Level, std::string_view line) override
    {
        const std::lock_guard lock(mutex_);
        if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
        function_(line);
    }

private:
    std::mutex mutex_;  // one line at a time, whatever thread it comes from
    std::function<void(std::string_view)> function_;
};

}  // namespace

home::Place surroundings(std::filesystem::path folder)
{
    const auto variables = std::make_shared<const Variables>(process_variables());
    home::Place place{.folder = std::move(folder)};
    place.trusted = true;  // whoever writes a program chooses its project
    place.environment = [variables](const std::string& name) -> std::optional<std::string> {
        const auto found = variables->find(name);
        if (found == variables->end() || found->second.empty()) return std::nullopt;
        return found->second;
    };
    for (const auto& [name, value] : *variables) place.variables.push_back(name);
    return place;
}

std::filesystem::path temporary_folder()
{
    return std::filesystem::temp_directory_path() / ("cadre-" + to_string(new_id()));
}

std::shared_ptr<LogSink> sink_for(std::function<void(std::string_view line)> function)
{
    if (function) return std::make_shared<FunctionSink>(std::move(function));
    return descriptor_sink(STDERR_FILENO);
}

}  // namespace cadre::library
