// embed_tool FOLDER [--raw]: reads texts, one JSON string a line (or as they are, which JSON cannot say of broken ones), and writes the
// vector of each, one a line, for embed_judge_test.mjs.
#include "base/error.hpp"
#include "base/json.hpp"
#include "text/embed/minilm.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

using namespace cadre;

int main(int count, char** words)
{
    const bool is_raw = count == 3 && std::string_view(words[2]) == "--raw";
    if (count != 2 && !is_raw) return 2;
    std::ios::sync_with_stdio(false);
    try {
        const text::embed::MiniLm encoder(words[1]);
        std::vector<std::string> texts;
        for (std::string line; std::getline(std::cin, line);)
            texts.emplace_back(is_raw ? line
                                      : std::string(parse_json(line, {.bytes = std::size_t{1} << 28}).as_string()));
        const std::vector<std::string_view> views(texts.begin(), texts.end());
        for (const auto& vector : encoder.encode(views)) std::cout << fmt::format("{}\n", fmt::join(vector, " "));
        return 0;
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
