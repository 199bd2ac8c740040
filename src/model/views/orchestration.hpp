// The A2A task (document 002): stored at `task:{id}`, served at /a2a in the document's early dialect. Camel case, nulls not written; names are read in any case and numbers from strings.
#pragma once

#include "model/machine.hpp"
#include "model/type.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::model::orchestration {

enum class TaskState : std::uint8_t { submitted, working, input_required, completed, canceled, failed, unknown };
std::span<const EnumName> names_of(const TaskState*);

/// Which state may follow which; nothing follows an end, nor `unknown`, for what could not be read cannot go on.
const Machine<TaskState>& state_machine();

enum class MessageRole : std::uint8_t { user, assistant, system };
std::span<const EnumName> names_of(const MessageRole*);

/// Reading also takes the protocol's own form: role `agent`, and `parts` whose texts become the content (C-05).
struct Message {
    MessageRole role = MessageRole::user;
    std::string content{};
    std::optional<Time> timestamp{};
    bool operator==(const Message&) const = default;
};
const Entity& describe(const Message*);

/// That form, as it comes.
struct ProtocolMessage {
    MessageRole role = MessageRole::user;
    std::vector<boost::json::value> parts{};
    std::optional<Time> timestamp{};
    bool operator==(const ProtocolMessage&) const = default;
};
const Entity& describe(const ProtocolMessage*);

struct FileReference {
    std::string uri{};
    std::optional<std::string> mime_type{};
    bool operator==(const FileReference&) const = default;
};
const Entity& describe(const FileReference*);

struct FilePart {
    FileReference file{};
    bool operator==(const FilePart&) const = default;
};
const Entity& describe(const FilePart*);

struct Artifact {
    std::string name{};
    std::vector<FilePart> parts{};
    std::optional<boost::json::object> metadata{};
    bool operator==(const Artifact&) const = default;
};
const Entity& describe(const Artifact*);

struct TaskStatus {
    TaskState state = TaskState::unknown;
    std::optional<Message> message{};
    std::optional<Time> timestamp{};
    bool operator==(const TaskStatus&) const = default;
};
const Entity& describe(const TaskStatus*);

struct TaskContext {
    std::string id{};
    std::string session_id{};
    TaskStatus status{};
    std::optional<std::vector<Message>> history{};
    std::optional<std::vector<Artifact>> artifacts{};
    std::optional<boost::json::object> metadata{};
    bool operator==(const TaskContext&) const = default;
};
const Entity& describe(const TaskContext*);

/// Where the store keeps a context: `task:{id}`.
std::string context_key(std::string_view task_id);

inline constexpr std::size_t kMaxHistory = 50;
/// The newest messages, `limit` at most. System messages that lead the history (a prompt, a summary of what was cut off)
/// stay and count; the journal keeps everything (C-22).
std::vector<Message> pruned(std::vector<Message> history, std::size_t limit = kMaxHistory);

/// Every entity of document 002, with those of orchestration_route.hpp and orchestration_options.hpp.
std::vector<const Entity*> entities();

}  // namespace cadre::model::orchestration
