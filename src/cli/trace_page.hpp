// A trace as one page for a browser, complete in itself.
#pragma once

#include "engine/task_state.hpp"
#include "engine/trace.hpp"

#include <map>
#include <string>
#include <string_view>

namespace cadre::cli {

/// HTML without any reference to other files. What tasks, models and tools wrote is data in it and is never taken for markup or
/// code: a content security policy allows exactly its own style and script.
/// `requests`: what model calls were sent, as text, by their paths.
std::string trace_page(const engine::Trace& trace, const engine::TaskState& state, Time now,
                       const std::map<std::string, std::string>& requests = {});

/// The page's own parts.
std::string_view trace_style();
std::string_view trace_script();

}  // namespace cadre::cli
