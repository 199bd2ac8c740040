// Async<T>: a lazy coroutine. It starts when it is awaited, runs on its awaiter's loop, and dies with the object that
// holds it: destroying a waiting tree is synchronous, children first. Why not asio::awaitable: docs/decisions/0003.
//
// Promised to who writes patterns: it is the return type of coroutines, `co_await` runs one and gives its T or throws what it threw,
// and it can be moved. How that is done is in cadre/detail, and may change.
#pragma once

#include "cadre/detail/async.hpp"  // IWYU pragma: export
