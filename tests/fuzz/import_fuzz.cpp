// Any file is a run or refused. A run that was read is written and read again the same, and can be imported, replayed and forked
// whatever its journal says: what is wrong with it is an Error.
#include "base/error.hpp"
#include "engine/compare.hpp"
#include "engine/test_world.hpp"
#include "engine/transfer.hpp"
#include "expect.hpp"
#include "patterns/patterns.hpp"
#include "storage/verify.hpp"

#include <string>

using namespace cadre;

namespace {

/// The input stands for what a file says before its end line: else nearly every one would be refused for its check sum.
std::string sealed(std::string text)
{
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    std::size_t lines = 0;
    for (const char c : text) lines += c == '\n';
    return text + R"({"end":{"lines":)" + std::to_string(lines) + R"(,"sha256":")" + to_hex(sha256(text)) + "\"}}\n";
}

/// For the same reason.
void make_chains(engine::Transfer& transfer)
{
    for (auto& journal : transfer.journals) {
        Hash previous = storage::kGenesis;
        for (storage::Record& record : journal) {
            storage::seal(record, previous);
            previous = record.hash;
        }
    }
}

void is_written_and_read(const engine::Transfer& transfer)
{
    const std::string text = engine::file_of(transfer);
    EXPECT(engine::file_of(engine::transfer_from(text)) == text);
}

void is_used(const engine::Transfer& transfer)
{
    engine::testing::World world;
    patterns::add_patterns(world.patterns);
    const engine::Principal someone = engine::local_user("fuzz");
    world.wait(world.commands->import_run(someone, transfer));
    EXPECT(world.wait(world.commands->import_run(someone, transfer)).existed);
    EXPECT(world.wait(world.host->wake_all()) == 0);
    for (const auto& journal : transfer.journals) {
        const Id task = journal.front().task;
        EXPECT(world.wait(world.queries->verify(someone, task)).problems.empty());
        const auto records = world.records(task);
        EXPECT(!engine::compare(records, records).first);
        try {
            world.wait(world.commands->replay(someone, task));
            world.wait(world.commands->fork(
                someone, {.from = task, .at = engine::ForkPoint{engine::ForkPoint::By::record, records.back().seq}}));
        } catch (const Error&) {
            // a pattern that nobody has, a team that cannot be
        }
    }
    EXPECT(world.model->requests.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    if (text.size() > 1 << 16) return 0;
    try {
        engine::Transfer transfer = engine::read_lines(sealed(std::string(text)));
        make_chains(transfer);
        engine::check(transfer);
        is_written_and_read(transfer);
        is_used(transfer);
        engine::redact_run(transfer);
        is_written_and_read(transfer);
    } catch (const Error& error) {
        const Code code = error.code();
        EXPECT(code == Code::malformed || code == Code::invalid || code == Code::too_large);
    }
    return 0;
}
