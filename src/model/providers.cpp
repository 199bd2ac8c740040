#include "model/providers.hpp"

#include "base/error.hpp"
#include "model/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::model {

void check_provider(std::string_view provider, std::string_view other, const Path& path, Problems& problems)
{
    if (std::ranges::find(kProviders, provider) != std::end(kProviders)) return;
    const std::vector<std::string> known(std::begin(kProviders), std::end(kProviders));
    std::string fix = problems.suggestion(provider, known);
    if (fix.empty()) fix = fmt::format("; known are {}; {}", fmt::join(kProviders, ", "), other);
    problems.add(path, ProblemKind::unknown_name, fmt::format("unknown provider {}{}", quoted(provider), fix));
}

}  // namespace cadre::model
