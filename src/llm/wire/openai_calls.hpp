// Tool calls that come in fragments, as vendors of OpenAI's API send them: with an index or without, with one that is always 0,
// with ids once, always, late or never, with names before or after their arguments.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm {

struct CallFragment {
    std::optional<std::int64_t> index{};
    std::string_view id{}, name{}, arguments{};
};

struct JoinedCall {
    std::string id{}, name{}, arguments{};
    boost::json::object extra{};  // that the vendor wants back: `extra_content`
};

/// Decides which call a fragment belongs to.
class OpenAiCalls {
public:
    /// The call that it went to, in all().
    std::size_t add(const CallFragment& fragment);

    std::vector<JoinedCall>& all() { return calls_; }
    const std::vector<JoinedCall>& all() const { return calls_; }

private:
    std::optional<std::size_t> find(const CallFragment& fragment) const;
    std::optional<std::size_t> find_by_id(std::string_view id) const;

    std::vector<JoinedCall> calls_;
    std::map<std::int64_t, std::size_t> by_index_;  // an index may come to mean another call
};

}  // namespace cadre::llm
