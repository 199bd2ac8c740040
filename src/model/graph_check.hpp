// What must fit together inside a workflow beyond what its description says. Looked at when a file is loaded, and not when the
// workflow of an old task is read again: rules that a later version adds must not make that task unreadable.
#pragma once

#include "model/problem.hpp"

namespace cadre::model {

struct Graph;

/// Fields that a node's type has no use for, names, joins, bodies of loops and maps, fields of the state that are not declared, and
/// what check_writes() finds. The graph's names are known and it has no cycles. Takes time in proportion to its size.
void check_workflow(const Graph& graph, Problems& errors, Problems& warnings);

/// Fields of the state that parallel nodes both replace before their ways meet: time would decide. Where both need not run, a warning.
void check_writes(const Graph& graph, Problems& errors, Problems& warnings);

}  // namespace cadre::model
