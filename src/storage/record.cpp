#include "storage/record.hpp"

#include <array>
#include <cassert>
#include <concepts>
#include <cstring>
#include <span>

namespace cadre::storage {

namespace {

template <std::unsigned_integral Number>
std::array<std::uint8_t, sizeof(Number)> little_endian(Number number)
{
    std::array<std::uint8_t, sizeof(Number)> bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
    return bytes;
}

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
        put(little_endian(number));
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

/// What is as long in every record, in one piece.
class FixedPart {
public:
    template <std::size_t size>
    void put(const std::array<std::uint8_t, size>& bytes)
    {
        std::memcpy(bytes_.data() + used_, bytes.data(), size);
        used_ += size;
    }
    template <std::unsigned_integral Number>
    void put_number(Number number)
    {
        put(little_endian(number));
    }
    std::span<const std::uint8_t> bytes() const { return {bytes_.data(), used_}; }

private:
    std::array<std::uint8_t, 96> bytes_;
    std::size_t used_ = 0;
};

/// Everything before the body.
void put_head(Preimage& out, const Record& record, const Hash& previous)
{
    FixedPart fixed;
    fixed.put(previous);
    fixed.put_number(record.version);
    fixed.put_number(static_cast<std::uint8_t>(record.kind));
    fixed.put_number(record.seq);
    fixed.put_number(record.event_seq);
    fixed.put_number(record.epoch);
    fixed.put_number(static_cast<std::uint64_t>(record.at.time_since_epoch().count()));
    fixed.put(record.task.bytes);
    fixed.put(record.ask.bytes);
    out.put(fixed.bytes());
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
