#include "patterns/team/collaborate.hpp"

#include "engine/run.hpp"

namespace cadre::patterns {

using engine::Run;

namespace {

/// The first one's turn, with the others' answers beside it.
Turn put_together(std::vector<Turn> turns)
{
    Turn all = std::move(turns.front());
    for (std::size_t i = 1; i < turns.size(); ++i)
        all.beside.push_back({std::move(turns[i].agent), std::move(turns[i].text)});
    return all;
}

}  // namespace

Async<Turn> collaborate(Run& run, const model::CollaborationPattern& pattern, const Floor& floor)
{
    switch (pattern.type) {
    case model::PatternType::parallel: co_return put_together(co_await parallel(run, pattern, floor));
    case model::PatternType::consensus: co_return co_await consensus(run, pattern, floor);
    case model::PatternType::hierarchical: break;
    }
    co_return co_await hierarchical(run, pattern, floor);
}

}  // namespace cadre::patterns
