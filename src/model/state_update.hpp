// The rule by which state changes (C-23), for every form in which messages are held: the kernel's and document 000's.
#pragma once

#include "model/read.hpp"
#include "model/state.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <iterator>
#include <utility>

namespace cadre::model::detail {

/// A whole state as JSON, but with the update's messages only: `fields` with the rest of the update put onto them.
boost::json::value merged(boost::json::object fields, const boost::json::object& update,
                          const Dict<StateField>& declared);

template <class S>
S updated(S state, const boost::json::object& update, const Dict<StateField>& declared)
{
    boost::json::object fields{{"current_agent", state.current_agent}, {"metadata", std::move(state.metadata)}};
    if (state.next_action) fields["next_action"] = *state.next_action;
    if (state.routing_key) fields["routing_key"] = *state.routing_key;
    S next = from_json<S>(merged(std::move(fields), update, declared));
    state.messages.insert(state.messages.end(), std::make_move_iterator(next.messages.begin()),
                          std::make_move_iterator(next.messages.end()));
    next.messages = std::move(state.messages);
    return next;
}

}  // namespace cadre::model::detail
