// prepare_vocabulary IN SHA256 OUT: turns a vocabulary as tiktoken writes it (base64 and rank, a line each) into the form that
// text/vocabulary.hpp reads. Part of the build; what it reads must be exactly the file that we know.
#include "base/base64.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"

#include <fmt/core.h>

#include <charconv>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

using namespace cadre;

namespace {

std::string read(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file) throw Error(Code::not_found, "cannot read " + path);
    return text;
}

std::string prepared(std::string_view text)
{
    std::string lengths;
    std::string bytes;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::size_t space = line.find(' ');
        std::size_t rank = 0;
        if (space != line.npos) std::from_chars(line.data() + space + 1, line.data() + line.size(), rank);
        const std::string token = from_base64(line.substr(0, space)).value_or("");
        if (rank != lengths.size() || token.empty() || token.size() > 255)
            throw Error(Code::malformed, fmt::format("line {} is not a token with its rank", lengths.size() + 1));
        lengths += static_cast<char>(token.size());
        bytes += token;
    }
    std::string head = "CADRETOK";
    for (unsigned shift = 0; shift < 32; shift += 8) head += static_cast<char>(lengths.size() >> shift & 0xFF);
    return head + lengths + bytes;
}

void prepare(const std::string& in, const std::string& hash, const std::string& out)
{
    const std::string text = read(in);
    if (to_hex(sha256(text)) != hash)
        throw Error(Code::invalid, in + " is not the file that we know: its SHA-256 is " + to_hex(sha256(text)));
    std::ofstream file(out, std::ios::binary | std::ios::trunc);
    file << prepared(text);
    if (!file.flush()) throw Error(Code::unavailable, "cannot write " + out);
}

}  // namespace

int main(int count, char** words)
{
    try {
        if (count != 4) throw Error(Code::invalid, "usage: prepare_vocabulary IN SHA256 OUT");
        prepare(words[1], words[2], words[3]);
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}
