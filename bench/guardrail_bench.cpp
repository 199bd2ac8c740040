// What do guardrails cost? Beside them RE2::Set with the same patterns, and memchr over the same text, in the same run.
#include "guardrails/stream_guard.hpp"
#include "text/pii.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::guardrails;

namespace {

/// Processor time: other programs may be at work.
double seconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// The best of many rounds, in seconds.
template <class Work>
double best_of(const Work& work, double budget = 0.7)
{
    double best = 1e9;
    const double start = seconds();
    do {
        const double round = seconds();
        work();
        best = std::min(best, seconds() - round);
    } while (seconds() - start < budget);
    return best;
}

/// The next of a fixed sequence of numbers.
unsigned next_number()
{
    static unsigned long long state = 42;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<unsigned>(state >> 33);
}

std::string word(std::size_t syllables)
{
    constexpr const char* parts[] = {"ka",  "re",  "mon", "ti",  "la",  "ver", "sus", "do",
                                     "pin", "qua", "zel", "bro", "thi", "nex", "or",  "el"};
    std::string out;
    while (syllables-- > 0) out += parts[next_number() % std::size(parts)];
    return out;
}

/// Prose with numbers and punctuation, and none of the 1,000 patterns.
std::string prose(std::size_t bytes)
{
    std::string out;
    while (out.size() < bytes) {
        out += word(1 + next_number() % 4);
        const unsigned chance = next_number() % 20;
        out += chance == 0 ? ". " : chance == 1 ? ", " : chance == 2 ? " 2024 " : chance == 3 ? "\n" : " ";
    }
    return out;
}

std::vector<std::string> thousand_patterns()
{
    std::vector<std::string> patterns;
    for (int i = 0; i < 1000; ++i) {
        const std::string stem = word(4) + "x";
        if (i % 10 == 0) patterns.push_back(stem + "-[0-9]{4,6}");
        else patterns.push_back("\\b" + stem + "\\b");
    }
    return patterns;
}

std::shared_ptr<const PolicySet> set_of(const std::vector<std::string>& patterns)
{
    Policy policy{.name = "bench", .action = Action::rewrite};
    for (const std::string& pattern : patterns)
        policy.rules.push_back({.kind = Kind::regex, .value = boost::json::string(pattern)});
    return PolicySet::compile({std::move(policy)});
}

void show(const char* what, double mine, double reference, const char* unit, const char* beside, bool faster_is_more)
{
    const double ratio = faster_is_more ? mine / reference : reference / mine;
    fmt::print("  {:58} {:10.2f} {:5}  {}: {:10.2f}, {:.2f} times as fast\n", what, mine, unit, beside, reference,
               ratio);
}

}  // namespace

int main()
{
    const std::vector<std::string> patterns = thousand_patterns();
    const std::string text = prose(4'000'000);
    const double megabytes = static_cast<double>(text.size()) / 1e6;

    re2::RE2::Options options;
    options.set_case_sensitive(false);
    options.set_max_mem(std::int64_t{64} << 20);
    const auto make_set = [&] {
        auto set = std::make_unique<re2::RE2::Set>(options, re2::RE2::UNANCHORED);
        for (const std::string& pattern : patterns) set->Add(pattern, nullptr);
        set->Compile();
        return set;
    };
    const double compile = best_of([&] { set_of(patterns); }), compile_re2 = best_of([&] { make_set(); });
    fmt::print("1,000 patterns\n");
    show("compiled (aim: < 100 ms)", compile * 1e3, compile_re2 * 1e3, "ms", "RE2::Set", false);

    const auto set = set_of(patterns);
    const auto re2_set = make_set();
    std::vector<int> ids;
    const double whole = best_of([&] { check(*set, Place::output, text); });
    const double whole_re2 = best_of([&] { re2_set->Match(text, &ids); });
    show("whole text, nothing found (aim: >= 200 MB/s)", megabytes / whole, megabytes / whole_re2, "MB/s", "RE2::Set",
         true);

    const std::string chunks = text.substr(0, 400'000);
    const auto run_chunks = [&] {
        StreamGuard guard(set, Place::output);
        std::size_t released = 0;
        for (std::size_t at = 0; at < chunks.size(); at += 20)
            released += guard.feed(std::string_view(chunks).substr(at, 20)).size();
        released += guard.finish().size();
        if (released != chunks.size()) std::puts("wrong");
    };
    const double count = static_cast<double>(chunks.size()) / 20;
    const double cold = [&] {
        const double start = seconds();
        run_chunks();
        return seconds() - start;
    }();
    const double a_chunk = best_of(run_chunks) / count;
    const double a_chunk_re2 = best_of([&] {
                                   for (std::size_t at = 0; at < chunks.size(); at += 20)
                                       re2_set->Match(re2::StringPiece(chunks.data() + at, 20), &ids);
                               }) /
                               count;
    show("a chunk of 20 bytes (aim: < 50 us)", a_chunk * 1e6, a_chunk_re2 * 1e6, "us", "RE2::Set, chunk by chunk",
         false);
    fmt::print("  {:58} {:10.2f} us\n", "the same with the states still to be made", cold / count * 1e6);

    fmt::print("personal data\n");
    std::size_t finds = 0;
    const double pii = best_of([&] { finds += text::find_pii(text).size(); });
    const double scan = best_of([&] {
        volatile char sought = '\x01';
        finds += std::memchr(text.data(), sought, text.size()) != nullptr;
    });
    show("prose (aim: >= 100 MB/s)", megabytes / pii, megabytes / scan, "MB/s", "memchr", true);
    std::string log;
    while (log.size() < 2'000'000)
        log += fmt::format("2026-11-16T10:00:{:02} 10.0.{}.{} GET /tasks/{} 200 {} ann{}@example.org\n",
                           next_number() % 60, next_number() % 256, next_number() % 256, next_number(),
                           next_number() % 10'000, next_number() % 100);
    const double logged = best_of([&] { finds += text::find_pii(log).size(); });
    fmt::print("  {:58} {:10.2f} MB/s\n", "a log with two finds a line",
               static_cast<double>(log.size()) / 1e6 / logged);

    const auto none = PolicySet::compile({});
    constexpr int kRounds = 1'000'000;
    const double empty = best_of([&] {
                             for (int i = 0; i < kRounds; ++i) finds += check(*none, Place::output, text).checks.size();
                         }) /
                         kRounds;
    fmt::print("no policies (aim: < 50 ns)\n  {:58} {:10.2f} ns\n", "a check", empty * 1e9);
    return finds == 0;
}
