// send: a message to people.
#include "base/mutant.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/send_evidence.hpp"
#include "engine/witness.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

namespace {

/// Of attempts of which it is certain that nothing was sent, or which the channel knows by their key.
constexpr Retry kSendRetry{.retries = 2};
constexpr Millis kSendLimit{60'000};

class Sending final : public Performer, public Witness {
public:
    Sending(const Env& env, Outgoing& message)
        : env_(env), message_(message), witness_(dynamic_cast<SendWitness*>(env.sender))
    {}

    void measure(Effect& effect, const Attempt&) override
    {
        if (!env_.sender)
            throw Error(Code::invalid, effect.path + ": this program sends no messages; it needs Env::sender for " +
                                           in_quotes(message_.channel));
        if (refusal_ && !refusal_->empty()) throw Error(Code::forbidden, effect.path + ": " + *refusal_);
    }

    bool must_queue() override { return witness_ && !refusal_; }
    Async<> ready() override
    {
        try {
            refusal_ = co_await witness_->refusal(message_);
        } catch (const Error& error) {
            refusal_ = error.what();
        }
    }

    Async<Evidence> look(Attempt attempt) override
    {
        if (!witness_) co_return Evidence{};
        SendEvidence found;
        try {
            found = co_await witness_->look(message_, std::move(attempt.key), attempt.at);
        } catch (const Error& error) {
            found.looked = error.what();
        }
        Evidence evidence{.give_up = found.give_up, .looked = std::move(found.looked)};
        if (found.happened) {
            sent = std::move(*found.happened);
            evidence.happened.emplace();
            append_members(evidence.happened->members, SendOutcome{.id = sent.id});
        }
        co_return evidence;
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
    SendWitness* witness_;                // null: the sender is none, or there is no sender
    std::optional<std::string> refusal_;  // once it was asked for
};

}  // namespace

Async<Sent> Run::send(Outgoing message)
{
    std::string path = next_path(EffectKind::send);
    CheckOptions checked{.agent = message.agent, .followed_by = path, .scope = path + '/'};
    message.content =
        co_await let_pass(Place::send, "a message to " + message.to, std::move(message.content), std::move(checked));
    Effect effect{.ask = RequestDigest(EffectKind::send), .path = std::move(path)};
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
