#include "storage/record.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace cadre;
using namespace cadre::storage;

namespace {

Record record(std::uint32_t seq, RecordKind kind, std::string path, std::string body)
{
    Record made{.tenant = "local", .seq = seq, .kind = kind, .path = std::move(path), .body = std::move(body)};
    for (std::uint8_t i = 0; i < 16; ++i) made.task.bytes[i] = i;
    return made;
}

/// One of each: a plain one, one with a digest and no body, the largest that is no blob, the smallest that is.
std::vector<Record> four()
{
    std::vector<Record> all = {
        record(1, RecordKind::created, "", R"({"goal":"add"})"),
        record(2, RecordKind::intent, "node/think:1", ""),
        record(3, RecordKind{77}, "node/use:1", std::string(kBlobThreshold, 'x')),
        record(4, RecordKind::outcome, "node/use:1", std::string(kBlobThreshold + 1, 'x')),
    };
    const std::uint32_t event_seqs[] = {1, 1, 2, 3}, epochs[] = {3, 3, 4, 4};
    const std::int64_t times[] = {1767225600123, 1767225600124, -1, 1767225600125};
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].event_seq = event_seqs[i];
        all[i].epoch = epochs[i];
        all[i].at = Time(Millis(times[i]));
    }
    all[1].ask = digest_of("ask");
    return all;
}

}  // namespace

TEST_CASE("a chain has the hashes that an independent program computed")
{
    // by hashlib and struct of Python; a change here makes every stored journal unreadable
    const char* const expected[] = {
        "267d14dfef8bdbf7442e2ad83c0c8e79f8446f6c144b1d2dba42284e9cb11117",
        "78354f91589c0be1c0851b9797b62cb57aedb38ad110e6d8cefcd48d45fad952",
        "51d15b3a1602d50e9f97f1aa7c97bedd40e4ea4f8f57fa2bb72668440388e20f",
        "6ee2892a62da572d3d78608c59e8a65a6393c38ed7adff3d1e2a6c182de9a7ae",
    };
    Hash previous = kGenesis;
    const auto all = four();
    for (std::size_t i = 0; i < all.size(); ++i) {
        Record sealed = all[i];
        seal(sealed, previous);
        CHECK(to_hex(sealed.hash) == expected[i]);
        previous = sealed.hash;
    }
}

TEST_CASE("every field of a record is part of its hash")
{
    const Record original = four()[1];
    const Hash hash = chain_hash(original, kGenesis);
    const std::vector<void (*)(Record&)> changes = {
        [](Record& r) { r.version = 2; },
        [](Record& r) { r.tenant = "loca"; },
        [](Record& r) { r.task.bytes[15] ^= 1; },
        [](Record& r) { r.seq = 3; },
        [](Record& r) { r.event_seq = 2; },
        [](Record& r) { r.epoch = 4; },
        [](Record& r) { r.at += Millis(1); },
        [](Record& r) { r.kind = RecordKind::outcome; },
        [](Record& r) { r.path += ' '; },
        [](Record& r) { r.ask.bytes[0] ^= 1; },
        [](Record& r) { r.body = " "; },
        [](Record& r) {
            r.tenant = "localn";
            r.path = "ode/think:1";
        },  // lengths keep neighbours apart
    };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        CAPTURE(i);
        Record changed = original;
        changes[i](changed);
        CHECK(chain_hash(changed, kGenesis) != hash);
    }
    CHECK(chain_hash(original, hash) != hash);
}

TEST_CASE("the hash of a blob's record can be computed without the blob")
{
    const Record blob = four()[3];
    Record without = blob;
    without.body.clear();
    CHECK(chain_hash(without, kGenesis, blob.body.size(), sha256(blob.body)) == chain_hash(blob, kGenesis));
}

TEST_CASE("kinds have names, those of newer releases too")
{
    CHECK(name_of(RecordKind::created) == "created");
    CHECK(name_of(RecordKind::cancelled) == "cancelled");
    CHECK(name_of(RecordKind{77}) == "kind_77");
}
