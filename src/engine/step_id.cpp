#include "engine/step_id.hpp"

#include "base/sha256.hpp"

namespace cadre::engine {

Id derived_id(std::string_view from)
{
    Id id{digest_of(from).bytes};
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0F) | 0x40);  // version 4
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3F) | 0x80);  // the usual variant
    return id;
}

std::string step_id_of(const Id& task, std::string_view path)
{
    std::string from(reinterpret_cast<const char*>(task.bytes.data()), task.bytes.size());
    from += path;
    return to_prefixed("step_", derived_id(from));
}

std::string step_id_of(const Id& task, std::string_view path, int attempt)
{
    return attempt <= 1 ? step_id_of(task, path) : step_id_of(task, std::string(path) + '#' + std::to_string(attempt));
}

std::string request_id_of(const Id& task, std::string_view path)
{
    std::string from(reinterpret_cast<const char*>(task.bytes.data()), task.bytes.size());
    from += '?';
    from += path;
    return to_string(derived_id(from));
}

std::string sandbox_id_of(const Id& task)
{
    return to_prefixed("sbx_", derived_id(to_string(task) + "/sandbox"));
}

std::string call_id_of(std::string_view step, std::size_t index)
{
    return to_prefixed("tc_", derived_id(std::string(step) + '#' + std::to_string(index)));
}

}  // namespace cadre::engine
