// Which of its tools a request is for, by what they are called, what their schemas say, and what the request names.
#pragma once

#include "llm/local/fill.hpp"
#include "llm/model.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cadre::text {
class Encoder;
}

namespace cadre::llm::local {

/// A tool that stands for what an agent may do besides: hand over, delegate, look for more tools.
bool is_control(std::string_view name);

/// A tool as it is compared.
struct Candidate {
    const ToolSpec* spec = nullptr;
    boost::json::object schema{};
    bool searches = false;  // takes a question as it is, and looks for what answers it
};
/// Those that are no controls and whose schemas can be read.
std::vector<Candidate> candidates(const std::vector<ToolSpec>& tools);

struct Ranked {
    const Candidate* tool = nullptr;
    double score = 0;  // 0 to 1
    double named = 0;  // how much of its name the request says
    Filled filled{};
};

/// A score from which on a tool is called.
inline constexpr double kCalled = 0.42;
/// How far the best two are apart at least where one is clearly meant.
inline constexpr double kApart = 0.08;

/// The best first. A tool that acts, as its name says (`send_mail`), is there only where the request says so, and does not merely ask.
/// `encoder`: compares meanings; null: words decide.
std::vector<Ranked> rank(std::span<const Candidate> tools, std::string_view request,
                         const std::shared_ptr<const text::Encoder>& encoder = nullptr);

}  // namespace cadre::llm::local
