// How quickly are tokens counted? Beside it: npm's gpt-tokenizer on the same text in the same run (tokens_bench.mjs).
#include "text/tokens.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace fs = std::filesystem;
using namespace cadre;

namespace {

const fs::path kRoot = CADRE_SOURCE_DIR;

/// Processor time: other programs may be at work.
double seconds()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// All files with that ending, one behind the other.
std::string files(const fs::path& folder, const std::string& ending)
{
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().extension() == ending) paths.push_back(entry.path());
    std::ranges::sort(paths);
    std::string text;
    for (const fs::path& path : paths) {
        std::ifstream file(path, std::ios::binary);
        text.append(std::istreambuf_iterator<char>(file), {});
    }
    return text;
}

std::string many_scripts()
{
    const std::string_view lines[] = {
        "Größenwahn und naïveté: «Съешь ещё этих мягких французских булок».\n",
        "敏捷的棕色狐狸跳过了懒狗，素早い茶色の狐。\n",
        "다람쥐 헌 쳇바퀴에 타고파.\n",
        "الثعلب البني السريع يقفز فوق الكلب الكسول ١٢٣٤.\n",
        "शीघ्र भूरी लोमड़ी आलसी कुत्ते पर कूदती है।\n",
        "👩‍👩‍👧‍👦 👨🏽‍💻 🏳️‍🌈 🇩🇪 ❤️‍🔥\n",
    };
    std::string text;
    while (text.size() < 1'000'000)
        for (const std::string_view line : lines) text += line;
    return text;
}

double megabytes_a_second(const std::string& text, const text::Vocabulary& vocabulary, std::size_t& tokens)
{
    double best = 0;
    const double start = seconds();
    do {
        const double round = seconds();
        tokens = text::count_tokens(text, vocabulary);
        best = std::max(best, static_cast<double>(text.size()) / 1e6 / (seconds() - round));
    } while (seconds() - start < 1);
    return best;
}

/// What the package says, as text: tokens, MB/s the first time, and MB/s at its best.
std::string judged(const fs::path& file, std::string_view encoding)
{
    const fs::path node = kRoot / "tests/node/node_modules/.bin/node";
    if (!fs::exists(node)) return "not installed: ./test fetches it";
    std::fflush(stdout);
    const std::string command = fmt::format("'{}' '{}' '{}' {}", node.string(),
                                            (kRoot / "bench/tokens_bench.mjs").string(), file.string(), encoding);
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string said(200, '\0');
    said.resize(pipe ? std::fread(said.data(), 1, said.size(), pipe) : 0);
    if (pipe) ::pclose(pipe);
    return said.substr(0, said.find('\n'));
}

}  // namespace

int main()
{
    for (const auto encoding : {text::Encoding::o200k_base, text::Encoding::cl100k_base}) {
        if (!text::has_vocabulary(encoding)) return fmt::print("built without vocabularies\n"), 1;
        const double start = seconds();
        const text::Vocabulary& vocabulary = *text::find_vocabulary(encoding);
        fmt::print("{}: made ready in {:.1f} ms\n", name_of(encoding), (seconds() - start) * 1e3);

        const struct {
            const char* name;
            std::string text;
        } samples[] = {{"pages (docs/*.md)", files(kRoot / "docs", ".md")},
                       {"code (src/*.cpp)", files(kRoot / "src", ".cpp")},
                       {"many scripts", many_scripts()},
                       {"100 kB of one letter", std::string(100'000, 'a')}};
        for (const auto& [name, text] : samples) {
            const fs::path file = fs::temp_directory_path() / "cadre_tokens_bench.txt";
            std::ofstream(file, std::ios::binary) << text;
            std::size_t tokens = 0;
            const double speed = megabytes_a_second(text, vocabulary, tokens);
            fmt::print("  {:22} {:8} bytes, {:7} tokens: {:7.2f} MB/s; gpt-tokenizer: {}\n", name, text.size(), tokens,
                       speed, judged(file, name_of(encoding)));
            fs::remove(file);
        }
    }
}
