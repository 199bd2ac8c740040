#include "patterns/team/collaborate.hpp"

#include "base/error.hpp"
#include "engine/run.hpp"

namespace cadre::patterns {

using engine::Run;

Async<Turn> collaborate(Run& run, const model::CollaborationPattern& pattern, const Floor& floor)
{
    if (pattern.type != model::PatternType::hierarchical)
        throw Error(Code::invalid, "the pattern " + in_quotes(pattern.name) +
                                       " cannot begin: this release runs only those of type hierarchical");
    co_return co_await hierarchical(run, pattern, floor);
}

}  // namespace cadre::patterns
