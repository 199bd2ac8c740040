// Reading a run from a file that anybody may have written.
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_error.hpp"
#include "engine/body.hpp"
#include "engine/conversation.hpp"
#include "engine/effect.hpp"
#include "engine/events.hpp"
#include "engine/host.hpp"
#include "engine/task_state.hpp"
#include "engine/transfer.hpp"
#include "storage/verify.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

/// Of one line: what it holds is text, so it has few values.
constexpr JsonLimits kLineLimits{.bytes = kMaxExport, .depth = 8, .nodes = 200};
constexpr JsonLimits kBodyOfLine{.bytes = std::size_t{64} << 20, .depth = 128, .nodes = 2'000'000};
constexpr std::size_t kMaxRecords = 1'000'000;
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxTenant = 256;
constexpr std::int64_t kLastMillisecond = 253'402'300'799'999;  // of the year 9999

// ---- members of a line ----

const json::value& member(const json::object& object, std::string_view name)
{
    const auto* value = object.if_contains(name);
    if (!value) throw Error(Code::invalid, std::string(name) + " is missing");
    return *value;
}

std::string text_of(const json::object& object, std::string_view name, std::size_t most)
{
    const auto* text = member(object, name).if_string();
    if (!text) throw Error(Code::invalid, std::string(name) + " is not text");
    if (text->size() > most) throw Error(Code::too_large, std::string(name) + " is too long");
    return std::string(*text);
}

std::int64_t number_of(const json::object& object, std::string_view name, std::int64_t least, std::int64_t most)
{
    const auto* number = member(object, name).if_int64();
    if (!number || *number < least || *number > most)
        throw Error(Code::invalid, std::string(name) + " is not a number from " + std::to_string(least) + " to " +
                                       std::to_string(most));
    return *number;
}

std::uint32_t counter(const json::object& object, std::string_view name)
{
    return static_cast<std::uint32_t>(number_of(object, name, 0, std::numeric_limits<std::uint32_t>::max()));
}

bool flag_of(const json::object& object, std::string_view name)
{
    const auto& value = member(object, name);
    if (!value.is_bool()) throw Error(Code::invalid, std::string(name) + " is neither true nor false");
    return value.get_bool();
}

Record record_from(const json::object& object)
{
    Record record{.version = static_cast<std::uint8_t>(number_of(object, "version", 1, storage::kFormat)),
                  .tenant = text_of(object, "tenant", kMaxTenant),
                  .task = id_from(text_of(object, "task", 64)),
                  .seq = counter(object, "seq"),
                  .event_seq = counter(object, "event_seq"),
                  .epoch = counter(object, "epoch"),
                  .at = Time(Millis(number_of(object, "at", 0, kLastMillisecond))),
                  .kind = static_cast<RecordKind>(number_of(object, "kind", 1, 255)),
                  .path = text_of(object, "path", kMaxPath),
                  .body = text_of(object, "body", kBodyOfLine.bytes)};
    if (const std::string ask = text_of(object, "ask", 32); !ask.empty()) {
        const auto digest = find_digest(ask);
        if (!digest) throw Error(Code::invalid, "ask is not a digest");
        record.ask = *digest;
    }
    const auto hash = find_hash(text_of(object, "hash", 64));
    if (!hash) throw Error(Code::invalid, "hash is not a hash");
    record.hash = *hash;
    try {
        parse_json(record.body, kBodyOfLine);
    } catch (const Error& error) {
        throw Error(error.code(), std::string("its body: ") + error.what());
    }
    return record;
}

storage::Document document_from(const json::object& object)
{
    storage::Document document{.kind = text_of(object, "kind", 64),
                               .key = text_of(object, "key", 64),
                               .text = text_of(object, "text", kBodyOfLine.bytes)};
    const bool is_team = document.kind == kTeamDocument;
    const bool is_setup = document.kind == kSetupDocument;
    if (!is_team && !is_setup && document.kind != kConversationDocument)
        throw Error(Code::invalid, "a document that is neither a team, nor a setup, nor a turn of a conversation");
    if (document.key != to_hex(sha256(document.text))) throw Error(Code::invalid, "its text does not give its key");
    if (is_team) model::from_text<model::Team>(document.text, {.limits = model::kTeamLimits});
    else if (is_setup) parse_json(document.text, model::kTeamLimits);  // what it means is its pattern's to say
    else turn_from(document.text);
    return document;
}

// ---- lines ----

constexpr std::string_view kNoExport = "this is not an exported run";

class Reader {
public:
    Transfer read(std::string_view text)
    {
        if (text.size() > kMaxExport)
            throw Error(Code::too_large, "the file has more than " + std::to_string(kMaxExport >> 20) + " MiB");
        std::size_t at = 0;
        while (at < text.size() && !ended_) {
            const std::size_t end = text.find('\n', at);
            ++line_;
            if (end == text.npos) throw wrong(Code::malformed, "the line has no end: the file was cut off");
            const json::value value = value_of(text.substr(at, end - at));
            try {
                take(value, text.substr(0, at));
            } catch (const Error& error) {
                throw wrong(error.code(), error.what());
            }
            at = end + 1;
        }
        if (line_ == 0) throw Error(Code::malformed, "the file is empty");
        if (!ended_) throw Error(Code::malformed, "the file has no end line: it was cut off");
        if (at != text.size()) throw Error(Code::malformed, "there is more after the end line");
        return std::move(transfer_);
    }

private:
    Error wrong(Code code, std::string_view text) const
    {
        return Error(code, "line " + std::to_string(line_) + ": " + std::string(text));
    }

    json::value value_of(std::string_view line) const
    {
        if (line_ == 1 && !line.starts_with('{')) throw wrong(Code::malformed, kNoExport);
        try {
            return parse_json(line, kLineLimits);
        } catch (const JsonError& error) {  // a place inside of the line becomes one of the file
            throw JsonError(error.flaw(), {line_, error.at().column}, error.reason());
        }
    }

    void take(const json::value& value, std::string_view before)
    {
        const auto* object = value.if_object();
        if (!object) throw Error(Code::malformed, "this is no JSON object");
        if (line_ == 1) return take_header(*object);
        if (const auto* record = object->if_contains("record")) return take_record(record->as_object());
        if (const auto* end = object->if_contains("end")) return take_end(end->as_object(), before);
        if (const auto* document = object->if_contains("document")) {
            if (transfer_.documents.size() >= kMaxExportedTasks) throw Error(Code::too_large, "too many documents");
            transfer_.documents.push_back(document_from(document->as_object()));
        }
        // others are of a newer release
    }

    void take_header(const json::object& header)
    {
        if (!header.contains("cadre_export")) throw Error(Code::malformed, std::string(kNoExport));
        const std::int64_t format = number_of(header, "cadre_export", 1, std::numeric_limits<int>::max());
        if (format > kExportFormat)
            throw Error(Code::invalid, "its format " + std::to_string(format) + " is newer than " +
                                           std::to_string(kExportFormat) + ", the newest that this release reads");
        transfer_.task = id_from(text_of(header, "task", 64));
        transfer_.redacted = flag_of(header, "redacted");
    }

    void take_record(const json::object& object)
    {
        Record record = record_from(object);
        if (++records_ > kMaxRecords) throw Error(Code::too_large, "too many records");
        auto& journals = transfer_.journals;
        if (journals.empty() || journals.back().front().task != record.task) {
            if (journals.size() >= kMaxExportedTasks) throw Error(Code::too_large, "too many tasks");
            if (!tasks_.insert(record.task).second)
                throw Error(Code::invalid, "the task's records do not stand together");
            journals.emplace_back();
        }
        journals.back().push_back(std::move(record));
    }

    void take_end(const json::object& end, std::string_view before)
    {
        if (counter(end, "lines") != line_ - 1) throw Error(Code::malformed, "lines are missing");
        if (text_of(end, "sha256", 64) != to_hex(sha256(before))) throw Error(Code::malformed, "the file was changed");
        ended_ = true;
    }

    Transfer transfer_;
    std::set<Id> tasks_;
    std::size_t line_ = 0;
    std::size_t records_ = 0;
    bool ended_ = false;
};

// ---- journals ----

void check_record(const Record& record, const TaskState& before)
{
    if ((record.kind == RecordKind::created) != (record.seq == 1))
        throw Error(Code::invalid, "a journal is created once, first");
    if (record.kind == RecordKind::intent || record.kind == RecordKind::outcome) {
        if (record.path.empty()) throw Error(Code::invalid, "its path is missing");
    }
    Body(record).expect_readable();
    if (events_of(record).size() != record.event_seq - before.end.event_seq)
        throw Error(Code::invalid, "its event number does not follow from what it says");
}

TaskSpec check_journal(const std::vector<Record>& journal)
{
    const auto wrong = [&](std::uint32_t seq, std::string_view text) {
        return Error(Code::invalid, "task " + to_string(journal.front().task) + ", record " + std::to_string(seq) +
                                        ": " + std::string(text));
    };
    if (const auto problems = storage::verify(journal); !problems.empty())
        throw wrong(problems.front().seq, problems.front().text);
    TaskState state;
    for (const Record& record : journal) {
        try {
            check_record(record, state);
            apply(state, record);
        } catch (const std::exception& error) {
            throw wrong(record.seq, error.what());
        }
    }
    return state.spec;
}

/// Every task is below the first one: neither beside it, nor in a circle.
void check_ancestors(const Id& first, const std::map<std::string, std::string>& parents)
{
    const std::string root = to_string(first);
    if (const auto above = parents.find(root); above != parents.end() && parents.contains(above->second))
        throw Error(Code::invalid, "task " + root + " is below a task that is below it");
    std::set<std::string, std::less<>> known{root};
    for (const auto& [task, parent] : parents) {
        std::vector<std::string> way;
        for (std::string at = task; !known.contains(at);) {
            const auto above = parents.find(at);
            const bool is_circle = std::ranges::find(way, at) != way.end();
            if (above == parents.end() || above->second.empty() || is_circle)
                throw Error(Code::invalid,
                            "task " + task + (is_circle ? " is below itself" : " does not belong to the run"));
            way.push_back(at);
            at = above->second;
        }
        known.insert(way.begin(), way.end());
    }
}

}  // namespace

Transfer read_lines(std::string_view text)
{
    return Reader().read(text);
}

void check(const Transfer& transfer)
{
    std::set<std::string> teams, setups;
    std::map<std::string, std::string> parents;
    std::map<std::string, const std::string*, std::less<>> turns;
    for (const storage::Document& document : transfer.documents)
        if (document.kind == kTeamDocument) teams.insert(document.key);
        else if (document.kind == kSetupDocument) setups.insert(document.key);
        else turns.emplace(document.key, &document.text);
    if (transfer.journals.empty() || transfer.journals.front().front().task != transfer.task)
        throw Error(Code::invalid, "the task that the file is about does not come first in it");
    for (const auto& journal : transfer.journals) {
        const TaskSpec spec = check_journal(journal);
        const std::string id = to_string(journal.front().task);
        if (!spec.config.empty() && !teams.contains(spec.config))
            throw Error(Code::invalid, "the team of task " + id + " is missing");
        if (spec.setup && !setups.contains(*spec.setup))
            throw Error(Code::invalid, "the workflow of task " + id + " is missing");
        for (HistoryWalk walk(spec.history); walk.wants();) {
            const auto turn = turns.find(*walk.wants());
            if (turn == turns.end()) throw Error(Code::invalid, "what was said before task " + id + " is missing");
            walk.take(*turn->second);
        }
        parents[id] = spec.parent.value_or("");
    }
    check_ancestors(transfer.task, parents);
}

Transfer transfer_from(std::string_view text)
{
    Transfer transfer = read_lines(text);
    check(transfer);
    return transfer;
}

}  // namespace cadre::engine
