#include "cli/version.hpp"

#include "base/json_writer.hpp"
#include "cli/answers.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"

#include <boost/version.hpp>
#include <fmt/core.h>
#include <openssl/crypto.h>

namespace cadre::cli {
namespace {

std::string compiler()
{
#if defined(__clang__)
    const std::string name = fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    const std::string name = fmt::format("gcc {}", __VERSION__);
#endif
#if defined(_GLIBCXX_RELEASE)
    return fmt::format("{}, libstdc++ {}", name, _GLIBCXX_RELEASE);
#else
    return name;
#endif
}

std::string to_json(const BuildInfo& info)
{
    std::string text;
    JsonWriter(text)
        .begin_object()
        .field("version", info.version)
        .field("json_format", json_format())
        .field("compiler", info.compiler)
        .field("build_type", info.build_type)
        .field("preset", info.preset)
        .field("boost", info.boost)
        .field("openssl", info.openssl)
        .field("fmt", info.fmt)
        .end_object();
    return text + "\n";
}

std::string to_text(const BuildInfo& info)
{
    const Row rows[] = {
        {"compiler", info.compiler}, {"build", fmt::format("{}, preset {}", info.build_type, info.preset)},
        {"Boost", info.boost},       {"OpenSSL", info.openssl},
        {"fmt", info.fmt},
    };
    return fmt::format("cadre {}\n{}", info.version, table(rows));
}

}  // namespace

BuildInfo build_info()
{
    return {.version = CADRE_VERSION,
            .compiler = compiler(),
            .build_type = CADRE_BUILD_TYPE,
            .preset = CADRE_PRESET,
            .boost = fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100),
            .openssl = OpenSSL_version(OPENSSL_VERSION_STRING),
            .fmt = fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)};
}

int version(const Args&, Output& output)
{
    const BuildInfo info = build_info();
    if (output.json) {
        output.print(to_json(info));
    } else {
        output.print(output.quiet ? fmt::format("{}\n", info.version) : to_text(info));
    }
    return 0;
}

}  // namespace cadre::cli
