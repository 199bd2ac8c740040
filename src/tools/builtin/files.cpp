#include "tools/builtin/files.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/utf8.hpp"
#include "tools/builtin/builtin_tool.hpp"
#include "tools/builtin/workspace.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::tools {

namespace {

constexpr std::size_t kMaxOutput = 1 << 20;
constexpr std::size_t kMaxNote = 200;                    // of a remark at its end
constexpr std::size_t kMaxText = kMaxOutput - kMaxNote;  // so that both fit
constexpr std::size_t kMaxEntries = 10'000;

bool continues_character(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// Text, without characters that were cut in two at either end; nothing when it is no UTF-8 text.
struct Text {
    std::string_view text{};
    bool valid = false;
};

Text text_in(std::string_view bytes, bool cut_before, bool cut_after)
{
    if (cut_before)
        for (int i = 0; i < 3 && !bytes.empty() && continues_character(bytes.front()); ++i) bytes.remove_prefix(1);
    std::size_t good = 0;
    while (good < bytes.size() && bytes[good] != '\0') {
        const std::size_t length = utf8_length(bytes.substr(good));
        if (length == 0) break;
        good += length;
    }
    if (good == bytes.size()) return {bytes, true};
    return {bytes.substr(0, good), cut_after && bytes.size() - good < 4 && bytes[good] != '\0'};
}

Result read_file(const Call& call)
{
    const std::string path = find_text(call.arguments, "path").value_or("");
    const auto offset = static_cast<std::uint64_t>(find_number(call.arguments, "offset").value_or(0));
    const auto limit = static_cast<std::uint64_t>(find_number(call.arguments, "limit").value_or(kMaxText));
    const FilePiece piece = Workspace(call.workspace)
                                .read(path, offset, static_cast<std::size_t>(std::min<std::uint64_t>(limit, kMaxText)));
    if (offset > 0 && offset >= piece.size)
        throw Error(Code::invalid, fmt::format("{} has {} bytes, so nothing begins at offset {}.", in_quotes(path),
                                               piece.size, offset));

    const bool more = offset + piece.bytes.size() < piece.size;
    const Text read = text_in(piece.bytes, offset > 0, more);
    if (!read.valid)
        throw Error(Code::invalid, fmt::format("{} is not text: {} bytes of binary data, which cannot be shown.",
                                               in_quotes(path), piece.size));
    Result result{.text = std::string(read.text)};
    if (more) {
        const std::uint64_t next =
            offset + static_cast<std::uint64_t>(read.text.data() + read.text.size() - piece.bytes.data());
        result.text += fmt::format("\n[up to byte {} of {}; to continue, read with offset {}]", next, piece.size, next);
    }
    return result;
}

Result write_file(const Call& call)
{
    const std::string path = find_text(call.arguments, "path").value_or("");
    const std::string content = find_text(call.arguments, "content").value_or("");
    // the answer does not say whether the file was there: it is the same when the call is repeated
    std::string written = Workspace(call.workspace).write(path, content, call.key.empty() ? call.id : call.key);
    return {.text = fmt::format("Wrote {} bytes to {}.", content.size(), written), .artifacts = {std::move(written)}};
}

/// As it is, unless a line of it could be taken for something else.
std::string shown_path(const std::string& path)
{
    const Text text = text_in(path, false, false);
    const bool plain =
        text.valid && std::ranges::none_of(path, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (plain) return path;
    std::string out;
    append_json_string(out, path);
    return out;
}

std::string line_of(const Entry& entry)
{
    const std::string path = shown_path(entry.path);
    switch (entry.kind) {
    case EntryKind::file: return fmt::format("{} ({} bytes)\n", path, entry.size);
    case EntryKind::folder: return path + "/\n";
    case EntryKind::link: return path + " (symbolic link, not followed)\n";
    case EntryKind::other: return path + " (no regular file)\n";
    }
    return {};
}

Result list_files(const Call& call)
{
    const std::string path = find_text(call.arguments, "path").value_or(".");
    const json::value* recursive = call.arguments.if_contains("recursive");
    const Listing listing =
        Workspace(call.workspace).list(path, recursive && recursive->is_bool() && recursive->get_bool(), kMaxEntries);
    if (listing.entries.empty()) return {.text = "There are no files here."};

    Result result;
    std::size_t count = 0;
    for (const Entry& entry : listing.entries) {
        const std::string line = line_of(entry);
        if (result.text.size() + line.size() > kMaxText) break;
        result.text += line;
        ++count;
    }
    if (listing.complete && count == listing.entries.size()) result.text.pop_back();
    else result.text += fmt::format("[the first {}; for the others, list one folder at a time]", count);
    return result;
}

json::object path_schema(std::string_view description)
{
    return {{"type", "string"}, {"description", description}};
}

std::shared_ptr<Tool> file_tool(model::Tool definition, Result (*perform)(const Call&))
{
    return std::make_shared<BuiltinTool>(std::move(definition), BuiltinTool::Where::pool, perform);
}

}  // namespace

std::shared_ptr<Tool> read_file_tool()
{
    return file_tool(
        {.name = "read_file",
         .description = "Reads a text file of the task's workspace; long files are read in pieces.",
         .input_schema = object_schema(
             {{"path", path_schema("Where the file is in the workspace, like notes/a.txt.")},
              {"offset?",
               {{"type", "integer"}, {"minimum", 0}, {"description", "The byte to begin at; 0 when left out."}}},
              {"limit?",
               {{"type", "integer"},
                {"minimum", 4},
                {"description", "Most bytes to read; about a million when left out."}}}}),
         .effect = model::Effect::pure},
        read_file);
}

std::shared_ptr<Tool> write_file_tool()
{
    return file_tool(
        {.name = "write_file",
         .description = "Writes a text file of the task's workspace: makes it, and the folders above it, or "
                        "replaces what it held.",
         .input_schema =
             object_schema({{"path", path_schema("Where the file goes in the workspace, like notes/a.txt.")},
                            {"content", {{"type", "string"}, {"description", "All that the file will hold."}}}}),
         .effect = model::Effect::idempotent},
        write_file);
}

std::shared_ptr<Tool> list_files_tool()
{
    return file_tool(
        {.name = "list_files",
         .description = "Lists the files and folders of the task's workspace.",
         .input_schema = object_schema(
             {{"path?", path_schema("The folder to look into; the workspace itself when left out.")},
              {"recursive?", {{"type", "boolean"}, {"description", "Whether to look into the folders too."}}}}),
         .effect = model::Effect::pure},
        list_files);
}

}  // namespace cadre::tools
