// Answers of Anthropic's Messages.
#pragma once

#include "llm/wire/answer.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm {

class AnthropicDecoder final : public AnswerDecoder {
public:
    using AnswerDecoder::AnswerDecoder;

    void event(std::string_view type, std::string_view data) override;
    void whole(std::string_view body) override;
    bool is_complete() const override { return !stop_.empty() || over_; }
    Answer take() override;

private:
    enum class Kind : std::uint8_t { text, call, thinking, other };

    struct Block {
        Kind kind;
        boost::json::object start{};  // as it came; what is streamed is added at the end
        std::size_t bytes = 0;        // text: of the answer's text
        std::string json{};           // call, other: fragments of its input
        std::string thinking{}, signature{};
    };

    void read(std::string_view type, const boost::json::value& event);
    void read_message(const boost::json::value* message);
    void read_usage(const boost::json::value* usage);
    Block& begin_block(std::int64_t index, const boost::json::value* content);
    void read_delta(std::int64_t index, const boost::json::value* delta);
    Block* find_block(std::int64_t index);
    std::string opaque() const;

    std::vector<Block> blocks_;
    std::map<std::int64_t, std::size_t> places_;
    std::string stop_;
};

}  // namespace cadre::llm
