#include "storage/record.hpp"

#include <array>
#include <cassert>
#include <concepts>
#include <span>

namespace cadre::storage {

namespace {

/// What a record's hash is over, collected in pieces that are worth a call.
class Preimage {
public:
    void put(std::string_view bytes)
    {
        if (bytes.size() > bytes_.size() - used_) {
            flush();
            if (bytes.size() > bytes_.size()) {
                sum_.add(bytes);
                return;
            }
        }
        used_ += bytes.copy(bytes_.data() + used_, bytes.size());
    }
    void put(std::span<const std::uint8_t> bytes)
    {
        put(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }
    template <std::unsigned_integral Number>
    void put_number(Number number)
    {
        std::array<char, sizeof number> bytes;
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(number >> (8 * i));
        put(std::string_view(bytes.data(), bytes.size()));
    }
    void put_text(std::string_view text)
    {
        put_number(static_cast<std::uint32_t>(text.size()));
        put(text);
    }
    Hash hash()
    {
        flush();
        return sum_.finish();
    }

private:
    void flush()
    {
        sum_.add({bytes_.data(), used_});
        used_ = 0;
    }

    Sha256 sum_;
    std::array<char, 512> bytes_;
    std::size_t used_ = 0;
};

/// Everything before the body.
void put_head(Preimage& out, const Record& record, const Hash& previous)
{
    out.put(previous);
    out.put_number(record.version);
    out.put_number(static_cast<std::uint8_t>(record.kind));
    out.put_number(record.seq);
    out.put_number(record.event_seq);
    out.put_number(record.epoch);
    out.put_number(static_cast<std::uint64_t>(record.at.time_since_epoch().count()));
    out.put(record.task.bytes);
    out.put(record.ask.bytes);
    out.put_text(record.tenant);
    out.put_text(record.path);
}

}  // namespace

std::string name_of(RecordKind kind)
{
    switch (kind) {
    case RecordKind::created: return "created";
    case RecordKind::started: return "started";
    case RecordKind::intent: return "intent";
    case RecordKind::outcome: return "outcome";
    case RecordKind::unknown: return "unknown";
    case RecordKind::node_done: return "node_done";
    case RecordKind::answer: return "answer";
    case RecordKind::instruction: return "instruction";
    case RecordKind::cancel: return "cancel";
    case RecordKind::pause: return "pause";
    case RecordKind::resume: return "resume";
    case RecordKind::setting: return "setting";
    case RecordKind::late_result: return "late_result";
    case RecordKind::note: return "note";
    case RecordKind::completed: return "completed";
    case RecordKind::failed: return "failed";
    case RecordKind::cancelled: return "cancelled";
    case RecordKind::attempt_failed: return "attempt_failed";
    case RecordKind::upkeep: return "upkeep";
    }
    return "kind_" + std::to_string(static_cast<int>(kind));  // written by a newer release
}

Hash chain_hash(const Record& record, const Hash& previous)
{
    if (is_blob(record)) return chain_hash(record, previous, record.body.size(), sha256(record.body));
    Preimage out;
    put_head(out, record, previous);
    out.put_text(record.body);
    return out.hash();
}

Hash chain_hash(const Record& record, const Hash& previous, std::size_t body_size, const Hash& body_hash)
{
    assert(body_size > kBlobThreshold);
    Preimage out;
    put_head(out, record, previous);
    out.put_number(static_cast<std::uint32_t>(body_size));
    out.put(body_hash);
    return out.hash();
}

void seal(Record& record, const Hash& previous)
{
    record.hash = chain_hash(record, previous);
}

}  // namespace cadre::storage
