#include "support/golden.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

std::string cadre::test::golden(std::string_view name)
{
    const std::string path = std::string(CADRE_SOURCE_DIR "/tests/golden/").append(name);
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("there is no golden file " + path);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
}
