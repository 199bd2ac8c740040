#include "home/channel_turn.hpp"

#include "base/utf8.hpp"
#include "engine/task_state.hpp"
#include "home/project/prepare_message.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::home {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::string_view kMessages = "channel_messages";

/// What they call themselves, on one line: it stands in prompts and greetings.
std::optional<std::string> name_in(const channels::Turn& turn)
{
    std::string name(utf8_prefix(turn.name, kLongestName));
    std::ranges::replace_if(name, [](unsigned char c) { return c < ' ' || c == 0x7F; }, ' ');
    return name.empty() ? std::nullopt : std::optional(std::move(name));
}

}  // namespace

engine::Principal sender_of(const channels::Turn& turn, const model::ChannelAccount& account)
{
    return {.tenant = account.tenant,
            .subject = "channel:" + turn.account + ":" + turn.sender,
            .roles = {engine::Role::user}};
}

engine::CreateTask task_of(const channels::Turn& turn, const std::shared_ptr<const Project>& project,
                           const model::ChannelAccount& account, const engine::TaskState* last)
{
    const RunRequest wanted{.prompt = turn.text, .by_name = true};
    const MessageRequest message{.channel = account.channel,
                                 .account = turn.account,
                                 .to = turn.sender,
                                 .reply_to = turn.ids.back(),
                                 .team = account.team,
                                 .user_name = name_in(turn)};
    engine::CreateTask task = prepare_message(project, wanted, message, last).task;
    task.id = turn.task;
    task.session = turn.session;
    task.metadata["account"] = turn.account;
    boost::json::array& ids = task.metadata[kMessages].emplace_array();
    for (const std::string& id : turn.ids) ids.emplace_back(id);
    return task;
}

std::vector<std::string> messages_of(const engine::TaskState& task)
{
    std::vector<std::string> ids;
    const auto* all = task.spec.metadata.if_contains(kMessages);
    if (!all || !all->is_array()) return ids;
    for (const auto& id : all->get_array())
        if (id.is_string()) ids.emplace_back(id.get_string());
    return ids;
}

}  // namespace cadre::home
