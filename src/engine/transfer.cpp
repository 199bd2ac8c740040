#include "engine/transfer.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "engine/body.hpp"
#include "engine/conversation.hpp"
#include "engine/transfer_mask.hpp"

#include <boost/json.hpp>

#include <functional>
#include <map>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

constexpr JsonLimits kExportLimits{.bytes = kMaxExport, .depth = 128, .nodes = 10'000'000};

// ---- redacting ----

bool has_same_shape(const json::value& a, const json::value& b)
{
    if (a.kind() != b.kind()) return false;
    if (a.is_array()) {
        const auto &in_a = a.get_array(), &in_b = b.get_array();
        if (in_a.size() != in_b.size()) return false;
        for (std::size_t i = 0; i < in_a.size(); ++i)
            if (!has_same_shape(in_a[i], in_b[i])) return false;
    }
    if (a.is_object()) {
        if (a.get_object().size() != b.get_object().size()) return false;
        for (const auto& [name, value] : a.get_object()) {
            const auto* other = b.get_object().if_contains(name);
            if (!other || !has_same_shape(value, *other)) return false;
        }
    }
    return true;
}

/// Only what values say is masked, never what they are: whoever reads the masked text still finds what it must find.
void mask(json::value& value, std::string_view name, bool is_secret)
{
    if (auto* text = value.if_string()) {
        *text = is_secret ? std::string(kMasked) : cadre::redact(std::string_view(*text));
    } else if (value.is_number()) {
        if (is_secret && !is_count(name, to_text(value))) value = 0;
    } else if (auto* list = value.if_array()) {
        for (json::value& one : *list) mask(one, name, is_secret);
    } else if (auto* object = value.if_object()) {
        json::object shown;
        for (auto& [key, one] : *object) {
            mask(one, key, is_secret || is_secret_name(key));
            std::string shown_key = cadre::redact(std::string_view(key));
            while (shown.contains(shown_key)) shown_key += '\'';  // two may look alike when they are masked
            shown.emplace(shown_key, std::move(one));
        }
        *object = std::move(shown);
    }
}

/// The text as it is when there is nothing to mask.
std::string masked(const std::string& text)
{
    const json::value before = parse_json(text, kExportLimits);
    json::value after = before;
    mask(after, "", false);
    // credentials that only the whole shows, as a name and its value in two members
    std::string out = to_text(after);
    const std::string whole = cadre::redact(out);
    if (whole != out) {
        try {
            const json::value read = parse_json(whole, kExportLimits);
            if (has_same_shape(after, read)) after = read;
        } catch (const Error&) {
            // what was masked was no value
        }
    }
    return after == before ? text : to_text(after);
}

/// Where the body's member names a document that has another key now.
void rename_document(std::string& body, std::string_view member,
                     const std::map<std::string, std::string, std::less<>>& keys)
{
    json::value whole = parse_json(body, kExportLimits);
    auto* object = whole.if_object();
    auto* key = object ? object->if_contains(member) : nullptr;
    const auto now = key && key->is_string() ? keys.find(std::string_view(key->get_string())) : keys.end();
    if (now == keys.end()) return;
    *key = now->second;
    body = cadre::to_text(whole);
}

/// A digest of what was masked could be tried against guesses.
void forget_digests(Record& record)
{
    record.ask = {};
    if (record.kind != RecordKind::intent) return;
    record.body = without_parts(record);
}

// ---- writing ----

std::string header_of(const Transfer& transfer)
{
    std::uint64_t records = 0, masked_records = 0, masked_documents = 0;
    const auto has_mask = [](const std::string& text) { return text.find(kMasked) != std::string::npos; };
    for (const storage::Document& document : transfer.documents) masked_documents += has_mask(document.text);
    for (const auto& journal : transfer.journals) {
        records += journal.size();
        for (const Record& record : journal) masked_records += has_mask(record.body);
    }
    std::string line;
    JsonWriter json(line);
    json.begin_object().field("cadre_export", kExportFormat).field("task", to_string(transfer.task));
    json.field("tasks", std::uint64_t{transfer.journals.size()}).field("records", records);
    json.field("redacted", transfer.redacted);
    json.field("chain", transfer.redacted ? "made anew" : "original");
    if (transfer.redacted) {
        json.field("digests", "left out").key("masked").begin_object();
        json.field("records", masked_records).field("documents", masked_documents).end_object();
    }
    json.end_object();
    return line + "\n";
}

std::string line_of(const storage::Document& document)
{
    std::string line;
    JsonWriter json(line);
    json.begin_object().key("document").begin_object();
    json.field("kind", document.kind).field("key", document.key).field("text", document.text);
    json.end_object().end_object();
    return line + "\n";
}

std::string line_of(const Record& record)
{
    std::string line;
    JsonWriter json(line);
    json.begin_object().key("record").begin_object().field("version", int{record.version});
    json.field("tenant", record.tenant).field("task", to_string(record.task)).field("seq", record.seq);
    json.field("event_seq", record.event_seq).field("epoch", record.epoch);
    json.field("at", std::int64_t{record.at.time_since_epoch().count()});
    json.field("kind", static_cast<int>(record.kind)).field("path", record.path);
    json.field("ask", record.ask ? to_hex(record.ask) : "").field("body", record.body);
    json.field("hash", to_hex(record.hash)).end_object().end_object();
    return line + "\n";
}

}  // namespace

std::size_t redact_run(Transfer& transfer)
{
    return mask_run(transfer, masked);
}

std::size_t mask_run(Transfer& transfer, const std::function<std::string(const std::string&)>& mask)
{
    std::size_t changed = 0;
    std::map<std::string, std::string, std::less<>> keys;  // of documents, before and after
    for (storage::Document& document : transfer.documents) {
        std::string text = mask(document.text);
        // the turn before it comes first in the list
        if (document.kind == kConversationDocument && !keys.empty()) rename_document(text, "before", keys);
        if (text == document.text) continue;
        ++changed;
        document.text = std::move(text);
        document.key = keys[document.key] = key_of(document.text);
    }
    for (auto& journal : transfer.journals)
        for (Record& record : journal) {
            std::string body = mask(record.body);
            if (body == record.body) continue;
            ++changed;
            record.body = std::move(body);
        }
    if (changed == 0) return 0;

    transfer.redacted = true;
    for (auto& journal : transfer.journals) {
        Hash previous = storage::kGenesis;
        for (Record& record : journal) {
            forget_digests(record);
            if (record.kind == RecordKind::created || record.kind == RecordKind::started)
                for (const char* member : {"config", "history", "setup"}) rename_document(record.body, member, keys);
            storage::seal(record, previous);
            previous = record.hash;
        }
    }
    return changed;
}

std::string file_of(const Transfer& transfer)
{
    std::string text;
    std::uint64_t lines = 0;
    const auto add = [&](const std::string& line) {
        if (text.size() + line.size() > kMaxExport)
            throw Error(Code::too_large,
                        "the run does not fit into one file of " + std::to_string(kMaxExport >> 20) + " MiB");
        text += line;
        ++lines;
    };
    add(header_of(transfer));
    for (const storage::Document& document : transfer.documents) add(line_of(document));
    for (const auto& journal : transfer.journals)
        for (const Record& record : journal) add(line_of(record));

    std::string end;
    JsonWriter json(end);
    json.begin_object().key("end").begin_object().field("lines", lines).field("sha256", to_hex(sha256(text)));
    json.end_object().end_object();
    text += end + "\n";
    return text;
}

}  // namespace cadre::engine
