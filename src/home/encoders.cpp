#include "home/encoders.hpp"

#include "base/error.hpp"
#include "storage/files.hpp"
#include "text/embed/mapped_file.hpp"
#include "text/embed/minilm.hpp"

#include <mutex>
#include <system_error>
#include <utility>

namespace cadre::home {
namespace {

namespace fs = std::filesystem;
using text::embed::kMiniLmTokenizer;
using text::embed::kMiniLmWeights;

}  // namespace

fs::path embeddings_folder(const Place& place, const fs::path& home)
{
    if (const auto chosen = place.environment("CADRE_EMBEDDINGS")) return place.folder / *chosen;
    return home / "embeddings";
}

std::shared_ptr<const text::Encoder> find_encoder(const fs::path& folder)
{
    std::error_code error;
    if (!fs::exists(folder / kMiniLmWeights.name, error) && !fs::exists(folder / kMiniLmTokenizer.name, error))
        return nullptr;
    return std::make_shared<const text::embed::MiniLm>(folder);
}

EncoderSource lazy_encoder(fs::path folder, Log log)
{
    struct State {
        std::once_flag once{};
        std::shared_ptr<const text::Encoder> encoder{};
    };
    return [state = std::make_shared<State>(), folder = std::move(folder), log = std::move(log)]() {
        std::call_once(state->once, [&] {
            try {
                state->encoder = find_encoder(folder);
            } catch (const Error& failure) {
                log.error(failure.what());
            }
        });
        return state->encoder;
    };
}

void install_weights(const fs::path& from, const fs::path& folder)
{
    text::embed::MiniLm{from};  // says what is wrong with them
    storage::make_private_folder(folder);
    for (const auto& file : {kMiniLmTokenizer, kMiniLmWeights})
        storage::write_private_file(folder / file.name, text::embed::MappedFile(from / file.name).bytes());
}

}  // namespace cadre::home
