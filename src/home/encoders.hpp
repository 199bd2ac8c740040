// Which encoder this machine has: the weights of one lie in a folder, or none does.
#pragma once

#include "base/log.hpp"
#include "home/local_router.hpp"
#include "home/place.hpp"

#include <filesystem>
#include <memory>

namespace cadre::home {

/// Where weights are looked for: what CADRE_EMBEDDINGS names, else `embeddings` in the home.
std::filesystem::path embeddings_folder(const Place& place, const std::filesystem::path& home);

/// The encoder whose weights lie there; null when nothing does. Throws Error that says which file is not as it should be.
std::shared_ptr<const text::Encoder> find_encoder(const std::filesystem::path& folder);

/// The same when it is first needed, once. Weights that cannot be used are told to the log, and words decide.
EncoderSource lazy_encoder(std::filesystem::path folder, Log log);

/// Copies the weights from a folder that has them, checked. Throws Error that names the file that is missing or another one.
void install_weights(const std::filesystem::path& from, const std::filesystem::path& folder);

}  // namespace cadre::home
