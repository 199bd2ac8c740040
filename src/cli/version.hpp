// What was built, with what: the facts behind `cadre version`.
#pragma once

#include <string>
#include <string_view>

namespace cadre::cli {

class Args;
struct Output;

struct BuildInfo {
    std::string_view version{};  // of the product: PROJECT_VERSION in CMakeLists.txt
    std::string compiler{};
    std::string_view build_type{};
    std::string_view preset{};
    std::string boost{};
    std::string openssl{};  // the one that runs, which may be newer than the one compiled with
    std::string fmt{};
};

BuildInfo build_info();

/// The verb.
int version(const Args& args, Output& output);

}  // namespace cadre::cli
