#include "storage/verify.hpp"

#include "base/error.hpp"
#include "storage/journal_fixture.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace cadre;
using namespace cadre::storage;

namespace {

std::string problems_of(const std::vector<Record>& records)
{
    std::string text;
    for (const auto& problem : verify(records)) text += std::to_string(problem.seq) + ": " + problem.text + "\n";
    return text;
}

/// The chain anew, so that only what a test has changed is wrong.
void reseal(std::vector<Record>& records)
{
    Hash previous = kGenesis;
    for (Record& record : records) {
        seal(record, previous);
        previous = record.hash;
    }
}

}  // namespace

TEST_CASE("an intact journal has no problems, an empty one neither")
{
    CHECK(problems_of(sample_journal(10)) == "");
    CHECK(problems_of({}) == "");
}

TEST_CASE("a flipped bit anywhere in a record is found at that record")
{
    const auto intact = sample_journal(5);
    for (std::size_t bit = 0; bit < 8 * intact[2].body.size(); ++bit) {
        auto records = intact;
        records[2].body[bit / 8] ^= static_cast<char>(1 << bit % 8);
        REQUIRE(verify(records).size() == 1);
        CHECK(verify(records)[0].seq == 3);
    }
    auto records = intact;
    records[2].hash[7] ^= 1;  // shows at the record and at the one that builds on it
    CHECK(verify(records).size() == 2);
}

TEST_CASE("a journal that was cut in the middle, shuffled or doubled is found out")
{
    auto records = sample_journal(5);
    records.erase(records.begin() + 2);
    CHECK(problems_of(records) ==
          "4: expected record 3, found record 4\n"
          "4: its content and the record before it do not give its hash: one of them was changed\n");
    records = sample_journal(5);
    records.insert(records.begin() + 1, records[1]);
    CHECK(problems_of(records).starts_with("2: expected record 3, found record 2\n"));
    records = sample_journal(5);
    std::swap(records[1], records[2]);
    CHECK(verify(records).size() >= 4);
    records = sample_journal(5);
    records.erase(records.begin());
    CHECK(problems_of(records).starts_with("2: expected record 1, found record 2\n"));
}

TEST_CASE("verify names each broken rule although the chain is right")
{
    struct {
        void (*change)(Record&);
        const char* says;
    } const cases[] = {
        {[](Record& r) { r.epoch = 0; }, "3: its epoch 0 is lower than 1, that of the record before it\n"},
        {[](Record& r) { r.event_seq = 0; }, "3: its event number 0 is lower than 2, that of the record before it\n"},
        {[](Record& r) { r.tenant = "other"; }, "3: belongs to another tenant: other\n"},
        {[](Record& r) { r.task = Id{}; }, "3: belongs to another task: 00000000-0000-0000-0000-000000000000\n"},
        {[](Record& r) { r.version = kFormat + 1; },
         "3: its format 2 is newer than 1, the newest that this release reads\n"},
    };
    for (const auto& c : cases) {
        auto records = sample_journal(4);
        c.change(records[2]);
        reseal(records);
        CHECK(problems_of(records) == c.says);
    }
}

TEST_CASE("what follows a record that was checked is checked alone, and held against it")
{
    auto journal = sample_journal(6);
    const std::vector<Record> tail(journal.begin() + 2, journal.end());
    CHECK(verify_after(tail).empty());
    CHECK(verify_after({tail.front()}).empty());
    CHECK(verify_after({}).empty());
    CHECK_FALSE(verify(tail).empty());  // it is no journal by itself

    const auto check = [&](const char* name, const std::function<void(std::vector<Record>&)>& damage) {
        CAPTURE(name);
        auto damaged = tail;
        damage(damaged);
        CHECK_FALSE(verify_after(damaged).empty());
        CHECK_THROWS_AS(expect_intact_after(damaged), Error);
    };
    check("a body was changed", [](auto& records) { records[1].body += ' '; });
    check("a record is missing", [](auto& records) { records.erase(records.begin() + 1); });
    check("of another journal", [](auto& records) { records[0].hash[0] ^= 1; });
    check("of another tenant", [](auto& records) {
        records.back().tenant = "other";
        seal(records.back(), records[2].hash);
    });
    CHECK_NOTHROW(expect_intact_after(tail));
}
