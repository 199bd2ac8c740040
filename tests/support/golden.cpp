#include "support/golden.hpp"

#include "support/source.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

std::string cadre::test::golden(std::string_view name)
{
    const auto path = source_folder() / "tests/golden" / name;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("there is no golden file " + path.string());
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}
