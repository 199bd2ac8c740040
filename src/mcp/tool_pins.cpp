#include "mcp/tool_pins.hpp"

#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/sha256.hpp"
#include "mcp/server_entry.hpp"
#include "storage/files.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace cadre::mcp {

namespace {

constexpr JsonLimits kLimits{.bytes = std::size_t{64} << 20, .nodes = 1'000'000};

}  // namespace

std::string pin_name(const mcp::ServerEntry& entry)
{
    const std::string where = entry.argv.empty() ? entry.url : fmt::format("{}", fmt::join(entry.argv, "\n"));
    return entry.name + " " + to_hex(sha256(where)).substr(0, 16);
}

ToolPins::ToolPins(const std::filesystem::path& home) : file_(home / "mcp_tools.json")
{}

void ToolPins::read()
{
    std::error_code missing;
    const auto time = std::filesystem::last_write_time(file_, missing);
    if (missing || read_at_ == time) return;
    read_at_ = time;
    readable_ = false;
    hashes_.clear();
    std::ifstream in(file_);
    try {
        const auto value = parse_json(std::string(std::istreambuf_iterator(in), {}), kLimits);
        for (const auto& [server, tools] : value.as_object())
            for (const auto& [tool, hash] : tools.as_object()) hashes_[server][tool] = hash.as_string();
        readable_ = true;
    } catch (const std::exception&) {
        hashes_.clear();
    }
}

bool ToolPins::is_as_before(const std::string& server, const std::string& tool, const std::string& hash)
{
    read();
    if (!readable_) return false;
    std::string& known = hashes_[server][tool];
    if (!known.empty()) return known == hash;
    known = hash;
    save();
    return true;
}

bool ToolPins::approve(const std::string& server, const std::string& tool, const std::string& hash)
{
    read();
    if (!readable_)
        throw Error(Code::invalid,
                    fmt::format("{} cannot be read; remove it to agree to all tools as they are now", file_.string()));
    std::string& known = hashes_[server][tool];
    if (known == hash) return false;
    const bool was_another = !std::exchange(known, hash).empty();
    save();
    return was_another;
}

void ToolPins::save()
{
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    for (const auto& [server, tools] : hashes_) {
        json.key(server).begin_object();
        for (const auto& [tool, hash] : tools) json.field(tool, hash);
        json.end_object();
    }
    json.end_object();
    storage::make_private_folder(file_.parent_path());
    storage::write_private_file(file_, text + "\n");
    std::error_code ignored;
    read_at_ = std::filesystem::last_write_time(file_, ignored);
}

}  // namespace cadre::mcp
