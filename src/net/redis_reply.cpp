#include "net/redis_reply.hpp"

#include "base/peer_text.hpp"
#include "base/visible.hpp"

#include <hiredis/hiredis.h>

#include <new>
#include <utility>

namespace cadre::net {
namespace {

using Kind = RedisReply::Kind;

/// Into the list that it is a part of, or on its own.
void* placed(const redisReadTask* task, RedisReply reply)
{
    if (!task->parent) return new (std::nothrow) RedisReply(std::move(reply));
    RedisReply& place = static_cast<RedisReply*>(task->parent->obj)->list[static_cast<std::size_t>(task->idx)];
    place = std::move(reply);
    return &place;
}

void* make_text(const redisReadTask* task, char* bytes, std::size_t size)
{
    const Kind kind = task->type == REDIS_REPLY_ERROR    ? Kind::error
                      : task->type == REDIS_REPLY_STATUS ? Kind::status
                                                         : Kind::text;
    return placed(task, {.kind = kind, .text = std::string(bytes, size)});
}

/// Null, which ends the conversation, where room would be made for more than anybody sends us.
void* make_list(const redisReadTask* task, int size)
{
    if (size > RedisReader::kLongestList) return nullptr;
    return placed(task, {.kind = Kind::list, .list = std::vector<RedisReply>(static_cast<std::size_t>(size))});
}

void* make_number(const redisReadTask* task, long long number)
{
    return placed(task, {.kind = Kind::number, .number = number});
}

void* make_nil(const redisReadTask* task)
{
    return placed(task, {});
}

/// For people: whatever a server says, it is a line and no secret of ours.
std::string shown(std::string text)
{
    constexpr std::size_t kLongest = 200;
    mask_peer(text);
    if (text.size() > kLongest) text.resize(kLongest);
    return visible(text);
}

void drop(void* reply)
{
    delete static_cast<RedisReply*>(reply);
}

}  // namespace

RedisRefusal::RedisRefusal(const std::string& text)
    : Error(Code::upstream, "Redis refuses: " + shown(text)), word_(text.substr(0, text.find(' ')))
{}

std::string redis_command_text(std::span<const std::string> words)
{
    std::vector<const char*> starts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
        starts.push_back(word.data());
        sizes.push_back(word.size());
    }
    char* made = nullptr;
    const int size = ::redisFormatCommandArgv(&made, static_cast<int>(words.size()), starts.data(), sizes.data());
    if (size < 0) throw std::bad_alloc();
    std::string text(made, static_cast<std::size_t>(size));
    ::redisFreeCommand(made);
    return text;
}

struct RedisReader::Impl {
    Impl() : reader(::redisReaderCreateWithFunctions(&functions))
    {
        if (!reader) throw std::bad_alloc();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() { ::redisReaderFree(reader); }

    redisReplyObjectFunctions functions{make_text, make_list, make_number, make_nil, drop};
    redisReader* reader;
    std::size_t unread = 0;  // bytes that are no whole reply yet
};

RedisReader::RedisReader() : impl_(std::make_unique<Impl>())
{}
RedisReader::~RedisReader() = default;

void RedisReader::feed(std::string_view bytes)
{
    if (::redisReaderFeed(impl_->reader, bytes.data(), bytes.size()) == REDIS_OK) impl_->unread += bytes.size();
}

std::optional<RedisReply> RedisReader::next()
{
    void* whole = nullptr;
    if (::redisReaderGetReply(impl_->reader, &whole) != REDIS_OK)
        throw Error(Code::upstream, std::string("what came is not Redis' protocol: ") + impl_->reader->errstr);
    if (!whole) {
        if (impl_->unread > kLargestReply) throw Error(Code::upstream, "a reply is larger than 16 MiB");
        return std::nullopt;
    }
    impl_->unread = impl_->reader->len - impl_->reader->pos;
    const std::unique_ptr<RedisReply> reply(static_cast<RedisReply*>(whole));
    return std::move(*reply);
}

}  // namespace cadre::net
