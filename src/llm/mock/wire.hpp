// What both dialects need to read and write their JSON.
#pragma once

#include "llm/model.hpp"

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cadre::llm::mock {

/// Throws Error(invalid), as the vendor's 400 would say it.
[[noreturn]] void refuse(const std::string& text);

/// Null when it is not there, or is null.
const boost::json::value* find(const boost::json::object& object, std::string_view name);
/// Throws when it is not there or of another type; `where` names it in the message, as in `messages.0.content`.
const boost::json::object& object_of(const boost::json::value& value, const std::string& where);
const boost::json::array& array_of(const boost::json::value* value, const std::string& where);
std::string text_of(const boost::json::value* value, const std::string& where);
/// Empty, or false, when it is not there.
std::string find_text(const boost::json::object& object, std::string_view name, const std::string& where = {});
bool find_flag(const boost::json::object& object, std::string_view name);

/// A list of messages as it grows.
class Conversation {
public:
    void add(Message message) { messages_.push_back(std::make_shared<const Message>(std::move(message))); }
    /// How many answers of the model there are, and one.
    int nth() const;
    std::vector<std::shared_ptr<const Message>> take() { return std::move(messages_); }
    const std::vector<std::shared_ptr<const Message>>& messages() const { return messages_; }

private:
    std::vector<std::shared_ptr<const Message>> messages_;
};

/// Text in two pieces, none of them in the middle of a character: arguments of calls come in fragments.
std::pair<std::string, std::string> halves(const std::string& text);
/// The call's own id, or one that is new in its conversation.
std::string id_of(const model::ToolCall& call, std::string_view prefix, std::string_view request_id, std::size_t index);

}  // namespace cadre::llm::mock
