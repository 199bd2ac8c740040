#include "cli/models.hpp"

#include "base/error.hpp"
#include "config/document.hpp"
#include "llm/script.hpp"

#include <fmt/core.h>

#include <optional>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScript = "script";

/// `script:FILE` and `script/FILE` are the same, as for every provider.
std::optional<std::string_view> script_file(std::string_view spec)
{
    const std::size_t end = spec.find_first_of(":/");
    if (end == std::string_view::npos || spec.substr(0, end) != kScript) return std::nullopt;
    return spec.substr(end + 1);
}

std::shared_ptr<llm::ScriptModel> script_from(const std::string& spec)
{
    const auto file = script_file(spec);
    if (spec == kScript || (file && file->empty()))
        throw Error(Code::invalid,
                    fmt::format("the model {} names no file; what works: {}", cadre::quoted(spec), kModelsThatWork));
    if (file) return llm::ScriptModel::from_file(fs::path(*file));
    if (config::is_configuration(spec))
        throw Error(Code::invalid,
                    fmt::format("there is no model called {}; did you mean script:{}?", cadre::quoted(spec), spec));
    throw Error(Code::unavailable,
                fmt::format("the model {} cannot be used yet, because model providers come in a later "
                            "version of cadre; what works: {}",
                            cadre::quoted(spec), kModelsThatWork));
}

}  // namespace

std::string whole_spec(std::string_view spec, const fs::path& folder)
{
    const auto file = script_file(spec);
    if (!file || file->empty()) return std::string(spec);
    return "script:" + (folder / fs::path(*file)).lexically_normal().string();
}

void expect_model(const std::string& spec)
{
    script_from(spec);
}

std::shared_ptr<llm::Model> Models::get(const std::string& spec, const Id& task)
{
    auto& script = scripts_[{task, spec}];
    if (!script) script = script_from(spec);
    return script;
}

std::vector<std::string> Models::left_over(const Id& task)
{
    std::vector<std::string> lines;
    for (auto place = scripts_.lower_bound({task, ""}); place != scripts_.end() && place->first.first == task;) {
        if (place->second)
            for (std::string& line : place->second->left_over()) lines.push_back(std::move(line));
        place = scripts_.erase(place);
    }
    return lines;
}

}  // namespace cadre::cli
