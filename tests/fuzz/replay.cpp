// Gives a fuzz target its stored inputs, one after the other: what libFuzzer's main() does before it searches. Without it the rooms need
// not be compiled once more for the search.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** arguments)
{
    std::size_t inputs = 0;
    for (int i = 1; i < count; ++i)
        for (const auto& entry : std::filesystem::directory_iterator(arguments[i])) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string bytes{std::istreambuf_iterator<char>(file), {}};
            std::printf("input %s\n", entry.path().c_str());
            std::fflush(stdout);  // a crash shows which it was
            LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
            ++inputs;
        }
    std::printf("stat::number_of_executed_units: %zu\n", inputs);
    return inputs > 0 ? 0 : 1;
}
