// Several coroutines that end together.
#pragma once

#include "base/async.hpp"
#include "base/async_scope.hpp"

#include <exception>

namespace cadre {

/// Waits for all children; when the caller is cancelled meanwhile, for their end too.
Async<> finished(AsyncScope& scope);

/// `work` as a child of `scope` that ends the others: by its failure, which goes to `failure`, and with `by_ending`, by its end too.
Async<> ends_others(AsyncScope& scope, Async<> work, std::exception_ptr& failure, bool by_ending);

}  // namespace cadre
