#include "config/text_file.hpp"

#include "base/error.hpp"
#include "config/project.hpp"

#include <filesystem>
#include <system_error>

namespace cadre::config {

std::string text_of_file(const std::string& file, std::size_t limit)
{
    std::error_code error;
    if (!std::filesystem::exists(file, error)) throw Error(Code::not_found, file + " does not exist");
    Findings findings;
    auto text = read_file(file, file, findings, limit);
    findings.raise();
    return std::move(*text);
}

}  // namespace cadre::config
