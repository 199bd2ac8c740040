#include "support/source.hpp"

#include <stdexcept>

std::filesystem::path cadre::test::source_folder()
{
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
    for (auto folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
        if (std::filesystem::exists(folder / "CMakePresets.json")) return folder;
    throw std::runtime_error(program.string() + " does not lie in a checkout");
}
