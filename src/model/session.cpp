#include "model/session.hpp"

#include "model/describe.hpp"

namespace cadre::model {

namespace {

void check_session_times(const Session& session, const Path& path, Problems& problems)
{
    if (session.updated_at < session.created_at)
        problems.add(Path(path, "updated_at"), "must not be before created_at");
}

}  // namespace

const Entity& describe(const Session*)
{
    static const Entity entity{
        .name = "session",
        .doc = "A series of tasks that belong together.",
        .fields =
            {
                field("id", &Session::id, "Its id.", {.required = true, .format = Format::uuid}),
                field("alias", &Session::alias, "An id that a client made for it.", {.min_length = 1}),
                field("tenant", &Session::tenant, "Whose it is.", {.min_length = 1}),
                field("user", &Session::user, "The person at the other end."),
                field("channel", &Session::channel, "Where the messages come from and go to."),
                field("created_at", &Session::created_at, "When it began.", {.fill = Fill::now}),
                field("updated_at", &Session::updated_at, "Time of the newest message.", {.fill = Fill::now}),
                field("metadata", &Session::metadata, "Anything else that is worth keeping with it."),
            },
        .home = {Home::Kind::inside, "shown to others as [conversation](conversation.md)"},
        .checks = {check<Session>({"created_at", "updated_at"}, "`updated_at` is not before `created_at`.",
                                  check_session_times)},
        .example = R"({"id":"550e8400-e29b-41d4-a716-446655440000","alias":"web-42","tenant":"default",
            "user":"user@example.com","channel":null,"created_at":"2025-11-02T10:30:00Z",
            "updated_at":"2025-11-02T10:35:00Z","metadata":{"domains_accessed":["inventory"]}})",
    };
    return entity;
}

std::span<const EnumName> names_of(const ConversationState*)
{
    static constexpr EnumName names[] = {
        {int(ConversationState::created), "Created"},
        {int(ConversationState::active), "Active"},
        {int(ConversationState::idle), "Idle"},
    };
    return names;
}

ConversationState conversation_state(std::size_t messages, Time last_message, Time now)
{
    if (now - last_message >= kIdleAfter) return ConversationState::idle;
    return messages <= 1 ? ConversationState::created : ConversationState::active;
}

}  // namespace cadre::model
