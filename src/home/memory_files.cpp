#include "home/memory_files.hpp"

#include "base/base64.hpp"
#include "base/error.hpp"
#include "model/wire_name.hpp"
#include "model/write.hpp"
#include "storage/files.hpp"
#include "storage/private_folder.hpp"
#include "storage/sqlite/connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using memory::Item;
using model::MemoryType;

constexpr std::string_view kFolder = "memory";
constexpr std::string_view kEpisodic = "long_term/episodic.json";

std::string json_of(const std::vector<Item>& items)
{
    std::string text = "[";
    for (const Item& item : items) text += (text.size() > 1 ? ",\n " : "\n ") + model::to_json_text(item);
    return text + "\n]\n";
}

std::span<const std::uint8_t> bytes_of(const std::string& text)
{
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Made beside its place, so that nobody ever sees a half of it.
void write_database(const fs::path& file, const std::vector<Item>& items,
                    const std::vector<memory::KeptVector>& vectors)
{
    const fs::path draft = file.string() + ".new";
    std::error_code error;
    fs::remove(draft, error);
    storage::write_private_file(draft, "");
    {
        storage::Connection database(draft, storage::Access::read_write, "");
        database.execute(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
            "CREATE TABLE item (id TEXT PRIMARY KEY, type TEXT, scope TEXT, content TEXT, importance REAL, "
            "told INTEGER, created_at TEXT, updated_at TEXT, expires_at TEXT, encoder TEXT, scale REAL, "
            "vector BLOB)");
        storage::Statement insert(database,
                                  "INSERT INTO item VALUES (?1, ?2, ?3, ?4, CAST(?5 AS REAL), ?6, ?7, ?8, ?9, "
                                  "?10, CAST(?11 AS REAL), ?12)");
        for (std::size_t i = 0; i < items.size(); ++i) {
            const Item& item = items[i];
            const std::string importance = fmt::format("{}", item.importance), created = to_iso(item.created_at),
                              updated = to_iso(item.updated_at),
                              expires = item.expires_at ? to_iso(*item.expires_at) : "",
                              scale = fmt::format("{}", vectors[i].scale),
                              vector = from_base64(vectors[i].data).value_or("");
            insert.bind(1, item.id)
                .bind(2, model::wire_name(item.type))
                .bind(3, model::wire_name(item.scope.kind))
                .bind(4, item.text)
                .bind(5, importance)
                .bind(6, item.told)
                .bind(7, created)
                .bind(8, updated);
            if (item.expires_at) insert.bind(9, expires);
            else insert.bind_null(9);
            insert.bind(10, vectors[i].encoder).bind(11, scale).bind(12, bytes_of(vector));
            insert.run();
        }
        database.execute("COMMIT");
    }
    fs::rename(draft, file, error);
    if (error) throw Error(Code::unavailable, "cannot write " + file.string() + ": " + error.message());
}

}  // namespace

std::vector<Item> items_of_task(const std::vector<Item>& items, const std::string& task)
{
    std::set<std::string> own;
    for (const Item& item : items)
        if (std::ranges::any_of(item.sources, [&](const memory::Source& one) { return one.task == task; }))
            own.insert(item.id);
    std::vector<Item> found;
    for (const Item& item : items) {
        const bool sums_up =
            std::ranges::any_of(item.supersedes, [&](const std::string& id) { return own.contains(id); });
        if (own.contains(item.id) || sums_up) found.push_back(item);
    }
    return found;
}

void write_memory_files(const fs::path& folder, const std::vector<Item>& items,
                        const std::vector<memory::KeptVector>& vectors)
{
    std::vector<Item> facts, episodes, summaries;
    std::vector<memory::KeptVector> of_facts;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].type == MemoryType::episodic) episodes.push_back(items[i]);
        if (items[i].type == MemoryType::semantic || items[i].type == MemoryType::long_term) {
            facts.push_back(items[i]);
            of_facts.push_back(vectors[i]);
        }
        if (!items[i].supersedes.empty()) summaries.push_back(items[i]);
    }
    const fs::path memory = folder / kFolder;
    std::error_code error;
    const bool is_anything = !facts.empty() || !episodes.empty();
    fs::remove_all(memory / "consolidated", error);
    if (!is_anything) {
        fs::remove_all(memory / "long_term", error);
        return;
    }
    storage::make_private_folder(memory / "long_term");
    storage::PrivateFolder files(memory);
    files.replace(kEpisodic, json_of(episodes));
    for (const Item& summary : summaries)
        files.replace(fmt::format("consolidated/{}.json", summary.id), model::to_json_text(summary) + "\n");
    write_database(memory / "long_term" / "semantic.db", facts, of_facts);
}

}  // namespace cadre::home
