// Enough to declare `Async<Task> create(CreateTask);`, for the price of nothing. Only .cpp files include base/async.hpp.
#pragma once

#include "cadre/async_fwd.hpp"
