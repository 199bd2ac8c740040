// What nearly every file needs, parsed once. Headers still include what they use: scripts/check compiles each alone.
#pragma once

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>
