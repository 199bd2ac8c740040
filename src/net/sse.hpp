// Server-sent events out of bytes, however they are split (WHATWG HTML §9.2.6); no sockets and no time here.
#pragma once

#include "base/time.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::net {

/// One event, as views that hold until the decoder is asked again.
struct SseEvent {
    std::string_view type = "message";
    std::string_view data{};
    std::string_view id{};  // of this event or the last one that had any
};

struct SseLimits {
    std::size_t line = 8 << 20;
    std::size_t event = 16 << 20;  // bytes of its data
};

/// Fed with pieces of a stream:
///     decoder.feed(piece);
///     while (const auto event = decoder.next()) …;
/// The data of an event that lies in one piece, as most do, is a view into that piece; only what is split is copied. Bytes that are
/// not UTF-8 come out as U+FFFD. An event without its empty line at the end of the stream is none.
class SseDecoder {
public:
    explicit SseDecoder(SseLimits limits = {}) : limits_(limits) {}

    /// The last piece has been used up: next() returned nothing. This one stays alive until it does so again.
    void feed(std::string_view piece);
    /// Throws Error(too_large); then the decoder is of no use any more.
    std::optional<SseEvent> next();

    /// How long the sender wants us to wait before we connect again, if it said so.
    std::optional<Millis> retry() const { return retry_; }
    const std::string& last_id() const { return id_; }

private:
    bool take_line(std::string_view& line);
    void take_field(std::string_view line);
    void add_data(std::string_view value, bool in_piece);
    bool is_in_piece(std::string_view text) const { return text.data() != line_.data(); }

    SseLimits limits_;
    std::string_view rest_;          // of the piece
    const char* newline_ = nullptr;  // the first LF at or after rest_, or its end; older when it is before rest_
    bool skip_newline_ = false;      // the last line ended in CR: an LF that follows belongs to it
    int mark_ = 0;                   // bytes of the byte order mark seen so far; 3 when it cannot come any more
    std::string line_;               // the beginning of a line, from earlier pieces

    bool shown_ = false;  // the event was handed out: the next call begins a new one
    bool has_data_ = false;
    std::string_view data_in_piece_;  // one line of data, or null when the data is in data_
    std::string data_;
    std::string type_;
    std::string id_;
    std::string repaired_;
    std::optional<Millis> retry_;
};

}  // namespace cadre::net
