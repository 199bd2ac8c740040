#include "text/route/csv.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/trim.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>

namespace cadre::text::route {
namespace {

constexpr std::size_t kMostRows = 1'000'000;

class CsvReader {
public:
    CsvReader(std::string_view content, const std::string& name) : rest_(content), name_(name)
    {
        if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    }

    /// The fields of the next line that is not empty; nothing at the end.
    std::optional<std::vector<std::string>> next()
    {
        while (!rest_.empty()) {
            start_ = line_;
            std::vector<std::string> fields{field()};
            while (rest_.starts_with(',')) {
                rest_.remove_prefix(1);
                fields.push_back(field());
            }
            end_line();
            if (fields.size() > 1 || !trimmed(fields.front()).empty()) return fields;
        }
        return std::nullopt;
    }

    std::size_t line() const { return start_; }

    [[noreturn]] void fail(const std::string& why) const
    {
        throw Error(Code::invalid, name_ + ":" + std::to_string(start_) + ": " + why);
    }

private:
    std::string field()
    {
        if (!rest_.starts_with('"')) {
            const std::size_t end = std::min(rest_.find_first_of(",\r\n"), rest_.size());
            std::string plain(rest_.substr(0, end));
            rest_.remove_prefix(end);
            return plain;
        }
        rest_.remove_prefix(1);
        std::string quoted;
        for (;;) {
            const std::size_t end = rest_.find('"');
            if (end == rest_.npos) fail("a quoted field does not end");
            quoted += rest_.substr(0, end);
            line_ += static_cast<std::size_t>(std::ranges::count(rest_.substr(0, end), '\n'));
            rest_.remove_prefix(end + 1);
            if (!rest_.starts_with('"')) break;
            quoted += '"';
            rest_.remove_prefix(1);
        }
        if (!rest_.empty() && rest_.find_first_of(",\r\n") != 0) fail("text follows the end of a quoted field");
        return quoted;
    }

    void end_line()
    {
        if (rest_.starts_with('\r')) rest_.remove_prefix(1);
        if (rest_.starts_with('\n')) rest_.remove_prefix(1);
        ++line_;
    }

    std::string_view rest_;
    const std::string& name_;
    std::size_t line_ = 1;
    std::size_t start_ = 1;
};

std::optional<std::size_t> find_column(const std::vector<std::string>& columns,
                                       std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names)
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (same_in_any_case(trimmed(columns[i]), name)) return i;
    return std::nullopt;
}

}  // namespace

std::vector<Row> read_csv(std::string_view content, const std::string& name)
{
    CsvReader reader(content, name);
    const auto columns = reader.next();
    if (!columns) throw Error(Code::invalid, name + ": is empty; its first line must be text,label");
    const auto text = find_column(*columns, {"text", "query", "utterance"});
    const auto label = find_column(*columns, {"label", "category", "intent", "agent"});
    const auto split = find_column(*columns, {"split"});
    if (!text || !label) reader.fail("the first line must name the columns text and label");
    std::vector<Row> rows;
    while (const auto fields = reader.next()) {
        if (fields->size() <= std::max(*text, *label))
            reader.fail("has " + std::to_string(fields->size()) + " fields, fewer than its columns");
        if (rows.size() == kMostRows) reader.fail("more than " + std::to_string(kMostRows) + " rows");
        Row row{(*fields)[*text], std::string(trimmed((*fields)[*label])), {}, reader.line()};
        if (row.label.empty()) reader.fail("has no label");
        if (split && *split < fields->size()) row.split = trimmed((*fields)[*split]);
        rows.push_back(std::move(row));
    }
    if (rows.empty()) throw Error(Code::invalid, name + ": has no rows");
    return rows;
}

}  // namespace cadre::text::route
