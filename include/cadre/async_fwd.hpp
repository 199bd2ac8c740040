// Enough to declare `Async<Task> create(CreateTask);`, for the price of nothing.
#pragma once

namespace cadre {

template <class T = void>
class Async;  // our own lazy coroutine

}  // namespace cadre
