// However a stream of events is cut into pieces, it says what a decoder that follows the standard word by word says.
#include "base/error.hpp"
#include "expect.hpp"
#include "net/sse.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace cadre;

namespace {

struct Event {
    std::string type, data, id;
    bool operator==(const Event&) const = default;
};

/// The whole stream at once, by the letter of the standard, without the repair of bytes that are not UTF-8.
std::vector<Event> by_the_letter(std::string_view text)
{
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    std::vector<Event> events;
    std::string data, type, id;
    while (true) {
        const std::size_t end = text.find_first_of("\r\n");
        if (end == std::string_view::npos) return events;
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(text.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
        if (line.empty()) {
            if (!data.empty()) events.push_back({type.empty() ? "message" : type, data.substr(0, data.size() - 1), id});
            data.clear();
            type.clear();
            continue;
        }
        const std::size_t colon = line.find(':');
        const std::string_view name = line.substr(0, colon);
        std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
        if (value.starts_with(' ')) value.remove_prefix(1);
        if (name == "data") data.append(value).push_back('\n');
        if (name == "event") type = value;
        if (name == "id" && value.find('\0') == std::string_view::npos) id = value;
    }
}

std::vector<Event> decoded(std::string_view text, std::size_t piece)
{
    net::SseDecoder decoder({.line = 1 << 14, .event = 1 << 14});
    std::vector<Event> events;
    for (std::size_t at = 0; at < text.size(); at += piece) {
        const std::string_view part = text.substr(at, piece);
        const auto alive = std::make_unique<char[]>(part.size());  // the sanitizer sees who looks beyond it
        std::memcpy(alive.get(), part.data(), part.size());
        decoder.feed({alive.get(), part.size()});
        while (const auto event = decoder.next())
            events.push_back({std::string(event->type), std::string(event->data), std::string(event->id)});
    }
    return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    if (text.size() > 1 << 13) return 0;
    const auto whole = decoded(text, text.size() + 1);
    for (const std::size_t piece : {1, 2, 3, 7, 64}) EXPECT(decoded(text, piece) == whole);
    bool ascii = true;
    for (const char c : text) ascii = ascii && static_cast<unsigned char>(c) < 0x80;
    if (ascii) EXPECT(whole == by_the_letter(text));
    return 0;
}
