// Enough to declare `Async<Task> create(CreateTask);`, for the price of nothing. Only .cpp files include base/async.hpp.
#pragma once

namespace cadre {

template <class T = void>
class Async;  // our own lazy coroutine; Asio operations are awaited through net/await.hpp

}  // namespace cadre
