#include "patterns/patterns.hpp"

#include "base/async.hpp"
#include "engine/pattern.hpp"
#include "engine/run.hpp"
#include "patterns/ask/ask.hpp"
#include "patterns/graph/graph.hpp"
#include "patterns/message/message.hpp"
#include "patterns/plan/plan_execute.hpp"
#include "patterns/react.hpp"
#include "patterns/relay.hpp"
#include "patterns/route/route.hpp"
#include "patterns/team/team.hpp"

namespace cadre::patterns {

void add_patterns(engine::Patterns& patterns)
{
    patterns.add({"react@1", [](engine::Run& run) { return react(run, run.agent()); }});
    patterns.add({"relay@1", relay});
    patterns.add({"graph@1", graph});
    patterns.add({"team@1", team});
    patterns.add({"plan@1", plan_execute});
    patterns.add({"ask@1", ask});
    patterns.add({"route@1", route});
    patterns.add({"message@1", message});
}

}  // namespace cadre::patterns
