#include "server/stream_tree.hpp"

#include "base/async.hpp"
#include "base/json_writer.hpp"
#include "engine/queries.hpp"
#include "engine/task_state.hpp"
#include "server/stream_pass.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace cadre::server {
namespace {

/// Of an id, in a place: enough to tell the tasks of one tree apart.
constexpr std::size_t kShortId = 13;
/// A task is announced by the one above it just before it is there.
constexpr Millis kComing{100};

std::string short_name(const Id& task)
{
    return to_string(task).substr(0, kShortId);
}

}  // namespace

std::optional<TreePosition> find_tree_position(std::string_view text)
{
    TreePosition position;
    bool is_root = true;
    while (true) {
        const std::size_t end = std::min(text.find(','), text.size());
        std::string_view one = text.substr(0, end);
        std::string name;
        if (!is_root) {
            if (one.size() < kShortId + 2 || one[kShortId] != ':') return std::nullopt;
            name = one.substr(0, kShortId);
            one.remove_prefix(kShortId + 1);
        }
        auto place = find_position(one);
        if (!place) return std::nullopt;
        if (is_root) position.root = std::move(*place);
        else if (!position.below.emplace(std::move(name), std::move(*place)).second) return std::nullopt;
        if (position.below.size() >= kMostOfTree) return std::nullopt;
        if (end == text.size()) return position;
        text.remove_prefix(end + 1);
        is_root = false;
    }
}

StreamTree::StreamTree(Feed& feed, engine::Queries& queries, engine::Principal by, std::shared_ptr<FeedTask> root,
                       const std::string& agent, TreePosition from, StreamFilter filter)
    : feed_(feed),
      queries_(queries),
      by_(std::move(by)),
      filter_(std::move(filter)),
      from_(std::move(from.below)),
      is_now_(from.is_now)
{
    add(std::move(root), std::move(from.root), agent);
}

StreamTree::~StreamTree()
{
    for (const auto& branch : branches_) branch->reader.task().remove_ear(stirred_);
}

void StreamTree::add(std::shared_ptr<FeedTask> task, StreamPosition from, std::string path)
{
    task->add_ear(stirred_);
    std::string prefix = fmt::format(R"("task":"{}","path":)", to_string(task->id()));
    append_json_string(prefix, path);
    prefix += ',';
    branches_.push_back(std::make_unique<Branch>(
        Branch{StreamReader(std::move(task), std::move(from), filter_), std::move(path), std::move(prefix)}));
}

std::optional<StreamItem> StreamTree::take()
{
    for (std::size_t i = 0; i < branches_.size(); ++i) {
        auto item = branches_[i]->reader.take();
        if (!item) continue;
        current_ = i;
        return item;
    }
    return std::nullopt;
}

bool StreamTree::is_over() const
{
    return std::ranges::all_of(branches_,
                               [this](const auto& branch) { return branch->reader.is_over() && !has_news(*branch); });
}

std::string StreamTree::place() const
{
    std::string text = branches_.front()->reader.place();
    for (std::size_t i = 1; i < branches_.size(); ++i)
        text += ',' + short_name(branches_[i]->reader.root()) + ':' + branches_[i]->reader.place();
    return text;
}

std::uint64_t StreamTree::changes() const
{
    std::uint64_t sum = 0;
    for (const auto& branch : branches_) sum += branch->reader.task().changes();
    return sum;
}

Async<> StreamTree::more()
{
    const std::uint64_t before = changes();
    bool found = false;
    for (std::size_t i = 0; i < branches_.size(); ++i) {
        if (has_news(*branches_[i])) found = co_await find_below(i) || found;
        if (!branches_[i]->reader.can_read()) continue;
        co_await branches_[i]->reader.more();
        found = true;
    }
    if (found || is_over() || changes() != before) co_return;
    const bool awaits = std::ranges::any_of(branches_, [](const auto& branch) { return branch->awaits; });
    if (!awaits) co_return co_await stirred_.wait();
    co_await ends_within(until_stirred(), kComing);
    for (const auto& branch : branches_)
        if (branch->awaits) branch->looked_at.reset();
}

Async<> StreamTree::until_stirred()
{
    co_await stirred_.wait();
}

Async<> StreamTree::begin()
{
    for (std::size_t i = 0; i < branches_.size(); ++i) {
        co_await branches_[i]->reader.begin();
        co_await find_below(i);
    }
    is_now_ = false;
}

/// Null: it was removed meanwhile.
Async<std::shared_ptr<const engine::TaskState>> StreamTree::find_state(Id task)
{
    try {
        co_return co_await queries_.task(by_, task);
    } catch (const Error& error) {
        if (error.code() != Code::not_found) throw;
    }
    co_return nullptr;
}

/// True: there are tasks below it that were not known.
Async<bool> StreamTree::find_below(std::size_t at)
{
    Branch& above = *branches_[at];
    const std::uint32_t records = above.reader.task().records();
    auto entries = co_await queries_.tasks(by_, {.parent = to_string(above.reader.root()), .limit = kMostOfTree});
    std::ranges::reverse(entries);  // the oldest first
    bool found = false;
    for (const storage::TaskEntry& entry : entries) {
        const auto is_it = [&](const auto& branch) { return branch->reader.root() == entry.task; };
        if (branches_.size() >= kMostOfTree || std::ranges::any_of(branches_, is_it)) continue;
        const auto state = co_await find_state(entry.task);
        if (!state) continue;
        const auto known = from_.find(short_name(entry.task));
        auto task = feed_.watch(*state);
        StreamPosition from = known == from_.end() ? StreamPosition{} : known->second;
        if (is_now_) from = position_now(*task);
        add(std::move(task), std::move(from), above.path + '/' + entry.agent);
        found = true;
    }
    above.looked_at = records;
    const auto state = co_await find_state(above.reader.root());
    const auto is_known = [this](const auto& child) {
        return std::ranges::any_of(branches_,
                                   [&](const auto& branch) { return branch->reader.root() == child.second; });
    };
    above.awaits = branches_.size() < kMostOfTree && state && !state->finished() &&
                   !std::ranges::all_of(state->children, is_known);
    co_return found;
}

}  // namespace cadre::server
