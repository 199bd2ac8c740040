// Answers of OpenAI's Chat Completions, and of all who say they speak it.
#pragma once

#include "llm/wire/answer.hpp"
#include "llm/wire/openai_calls.hpp"

#include <boost/json/array.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace cadre::llm {

class OpenAiDecoder final : public AnswerDecoder {
public:
    using AnswerDecoder::AnswerDecoder;

    void event(std::string_view type, std::string_view data) override;
    void whole(std::string_view body) override;
    bool is_complete() const override { return !finish_.empty() || (over_ && said_something_); }
    Answer take() override;

private:
    void read(const boost::json::value& chunk);
    void read_usage(const boost::json::value& usage);
    void read_choice(const boost::json::value& choice);
    void read_content(const boost::json::value& content);
    void read_reasoning(const boost::json::value& message);
    void read_details(const boost::json::array& details);
    void read_calls(const boost::json::array& calls);
    void read_call(const boost::json::value& call, const boost::json::value* function,
                   std::optional<std::int64_t> index);
    std::string opaque() const;

    OpenAiCalls calls_;
    boost::json::array details_;  // reasoning_details, joined
    std::string finish_;
    bool said_something_ = false;
    bool refused_ = false;
};

}  // namespace cadre::llm
