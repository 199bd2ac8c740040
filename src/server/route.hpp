// A route of the server, as data: the dispatcher, the OpenAPI document, labels of metrics and tests are made of tables of these.
#pragma once

#include "base/async_fwd.hpp"
#include "engine/principal.hpp"
#include "server/rate.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

namespace cadre::model {
struct Entity;
}

namespace cadre::server {

/// HEAD and OPTIONS follow from the others.
enum class Method : std::uint8_t { get, post, put, patch, del };
/// `DELETE`
std::string_view name_of(Method method);

/// What goes first under load.
enum class Shed : std::uint8_t {
    creating,
    reading,
    never,  // answers, cancels, health
};

/// What an answer is.
enum class Form : std::uint8_t {
    json,
    file,    // bytes
    stream,  // a WebSocket, or events
    text,
};

/// How it can fail, besides what every route can.
struct Fault {
    int status = 409;
    std::string_view reason{};  // already_answered
    std::string_view doc{};
};

class Call;  // server/call.hpp
using Handler = std::function<Async<>(Call&)>;

struct Route {
    Method method = Method::get;
    std::string_view path{};  // `/tasks/{task_id}/artifacts/{path*}/versions`; `*`: one segment or more
    std::string_view name{};  // operationId, label of metrics, word of the audit: list_tasks
    std::string_view doc{};   // one sentence
    std::optional<engine::Act> act = engine::Act::read;  // what whoever asks must be allowed to do; none: anybody may
    bool by_signature =
        false;  // callers know its address from us, and its handler knows them by what they sign: any Host will do
    bool tells_more = false;  // where anybody may: those who show who they are hear more
    RateClass rate = RateClass::read;
    Shed shed = Shed::reading;
    const model::Entity* query = nullptr;  // null: none
    const model::Entity* request = nullptr;
    const model::Entity* response = nullptr;
    int success = 200;
    std::string_view nothing{};  // when it answers 204, without a body; empty: never
    std::span<const Fault> faults{};
    Form form = Form::json;
    std::size_t body_limit = 1 << 20;
    bool takes_file = false;          // its body is not JSON: bytes, whatever they are
    bool can_try_again = true;        // its handler can tell whether a request that was cut off has changed something
    std::string_view requirements{};  // API-12: which rows of the requirements it is there for
    Handler handler{};
};

}  // namespace cadre::server
