// send: a message to people.
#include "base/mutant.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

namespace {

/// Of attempts of which it is certain that nothing was sent, or which the channel knows by their key.
constexpr Retry kSendRetry{.retries = 2};
constexpr Millis kSendLimit{60'000};

class Sending final : public Performer {
public:
    Sending(const Env& env, Outgoing& message) : env_(env), message_(message) {}

    void measure(Effect& effect, const Attempt&) override
    {
        if (!env_.sender)
            throw Error(Code::invalid, effect.path + ": this program sends no messages; it needs Env::sender for " +
                                           in_quotes(message_.channel));
    }

    Async<Answered> attempt(Attempt attempt) override
    {
        sent = co_await env_.sender->send(message_, std::move(attempt.key));
        Answered answered;
        append_members(answered.members, SendOutcome{.id = sent.id});
        co_return answered;
    }

    Sent sent;

private:
    const Env& env_;
    Outgoing& message_;
};

}  // namespace

Async<Sent> Run::send(Outgoing message)
{
    Effect effect{.ask = RequestDigest(EffectKind::send), .path = next_path(EffectKind::send)};
    effect.ask.part("channel", message.channel).part("to", message.to).part("content", message.content);
    append_members(effect.outcome, SendOutcome{.channel = message.channel});
    append_members(effect.intent, SendIntent{.agent = Text::unless_empty(message.agent),
                                             .channel = message.channel,
                                             .to = message.to,
                                             .content = message.content});
    effect.agent = message.agent;
    const Sender* sender = state_.env().sender;
    effect.keyed = true;  // the journal names it by its key, also where the channel does not
    const bool takes_key = (sender && sender->takes_key(message.channel)) || is_mutant(Mutant::sent_twice);
    effect.effect_class = takes_key ? model::Effect::keyed : model::Effect::once;
    effect.retry = kSendRetry;
    effect.limit = kSendLimit;
    Sending sending(state_.env(), message);
    if (const auto recorded = co_await perform(std::move(effect), sending)) {
        const auto outcome = body_of<OutcomeBody>(*recorded);
        throw_recorded_error(outcome);
        const auto& send = own_of<SendOutcome>(outcome, *recorded);
        co_return Sent{.id = send.resolved ? send.text.str() : send.id.str()};
    }
    co_return std::move(sending.sent);
}

}  // namespace cadre::engine
