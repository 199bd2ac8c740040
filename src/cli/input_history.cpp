#include "cli/input_history.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "storage/private_folder.hpp"

#include <boost/json.hpp>

namespace cadre::cli {
namespace {

constexpr std::string_view kFile = "chat_inputs.jsonl";

}  // namespace

std::vector<std::string> read_inputs(const std::filesystem::path& home)
{
    std::vector<std::string> inputs;
    try {
        auto folder = storage::PrivateFolder::find(home);
        const auto text = folder ? folder->read(kFile, 4 * kMaxInputBytes) : std::nullopt;
        std::string_view rest = text ? std::string_view(*text) : "";
        while (!rest.empty()) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
            const json::value value = parse_json(line);
            if (const auto* input = value.if_string()) inputs.emplace_back(*input);
        }
    } catch (const Error&) {
        // see above
    }
    return inputs;
}

void add_input(const std::filesystem::path& home, std::string_view text)
{
    auto inputs = read_inputs(home);
    if (!inputs.empty() && inputs.back() == text) return;
    inputs.emplace_back(text);
    std::string lines;
    std::size_t count = 0;
    for (auto input = inputs.rbegin(); input != inputs.rend() && count < kMaxInputs; ++input, ++count) {
        std::string line;
        append_json_string(line, *input);
        if (lines.size() + line.size() > kMaxInputBytes) break;
        lines.insert(0, line + '\n');
    }
    try {
        storage::PrivateFolder(home).replace(kFile, lines);
    } catch (const Error&) {
        // see above
    }
}

}  // namespace cadre::cli
