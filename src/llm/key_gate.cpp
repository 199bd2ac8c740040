#include "llm/key_gate.hpp"

#include "base/async.hpp"
#include "base/loop.hpp"
#include "base/random.hpp"
#include "base/timeout.hpp"
#include "llm/model.hpp"
#include "llm/wire/retry_after.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::llm {
namespace {

constexpr Millis kJitter{500};
constexpr Millis kFirstBackOff{1000};
constexpr Millis kLongestBackOff{60'000};
constexpr Millis kAtOnce{1000};  // whoever says so, and says it again, is not asked ever faster

/// The endpoint does not work: not that it does not like the request.
bool is_breakdown(int status)
{
    return status == 0 || status == 408 || status >= 500;
}

class PatientModel final : public Model {
public:
    explicit PatientModel(std::shared_ptr<Model> model) : model_(std::move(model)) {}

    std::string spec() const override { return model_->spec(); }
    std::optional<Prices> prices() const override { return model_->prices(); }
    bool is_priced() const override { return model_->is_priced(); }
    std::int64_t most_input(const Request& request, std::int64_t enough) const override
    {
        return model_->most_input(request, enough);
    }
    std::int64_t likely_input(const Request& request) const override { return model_->likely_input(request); }
    std::optional<std::int64_t> most_output() const override { return model_->most_output(); }
    std::optional<std::int64_t> context() const override { return model_->context(); }
    bool can_sum_up() const override { return model_->can_sum_up(); }

    Async<Completion> complete(Request request, ChunkSink& sink) override
    {
        while (true) {
            try {
                co_return co_await model_->complete(request, sink);
            } catch (const ModelError& error) {
                // the gate has heard the refusal, and lets nobody pass before time; what somebody has read is another step's
                const bool is_refusal = error.code() == Code::rate_limited && error.transient() && error.dispatched();
                if (!is_refusal || error.fault().shown) throw;
            }
        }
    }

private:
    std::shared_ptr<Model> model_;
};

}  // namespace

KeyGate::KeyGate(std::string name, Loop& loop, Random& random, Log log)
    : name_(std::move(name)), loop_(loop), random_(random), log_(std::move(log))
{}

Millis KeyGate::jitter()
{
    return Millis(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(kJitter.count()))));
}

Async<> KeyGate::enter(std::int64_t tokens, ChunkSink& sink)
{
    const Context& context = co_await this_context();
    while (true) {
        const Instant now = loop_.now();
        if (breaker_.state() == BreakerState::open && now < breaker_.opens_again())
            throw ModelError(Code::upstream,
                             fmt::format("circuit_open: {} has failed {} times in a row; the next try is in {}", name_,
                                         Breaker::kFailures,
                                         to_text(Millis(std::chrono::ceil<Millis>(breaker_.opens_again() - now)))),
                             ModelFault{.dispatched = false});
        const Instant due = limiter_.enter(now, tokens);
        if (due <= now) {
            const BreakerState before = breaker_.state();
            if (breaker_.may_pass(now)) {
                if (before == BreakerState::open)
                    log_.info("circuit_half_open: a request finds out", {{"endpoint", name_}});
                co_return;
            }
            throw ModelError(
                Code::upstream,
                fmt::format("circuit_open: {} does not work, and another request is finding out whether it does again",
                            name_),
                ModelFault{.dispatched = false});
        }
        const Instant leaves = due + jitter();
        if (leaves >= context.deadline)
            throw ModelError(Code::rate_limited,
                             fmt::format("throttled: {} allows the next request in {}", name_,
                                         to_text(std::chrono::ceil<Millis>(due - now))),
                             ModelFault{.retry_after = std::chrono::ceil<Millis>(due - now), .dispatched = false});
        sink.throttled(leaves);
        co_await sleep_until(leaves);
    }
}

void KeyGate::learn(int status, const net::HttpHeaders& headers) noexcept
{
    const Instant now = loop_.now();
    const Time wall = loop_.clock().now();
    limiter_.learn(headers, now, wall);
    if (status == kTooManyRequests) {
        const Millis back_off = std::min(kFirstBackOff * (1 << std::min(refusals_++, 6)), kLongestBackOff);
        const Millis said = retry_after_of(headers, wall).value_or(Millis{0});
        limiter_.block(later(now, said < kAtOnce ? std::max(said, back_off) : said));
        breaker_.withdrawn();  // it works: it only says no
        return;
    }
    if (status < 200 || status > 299) ended(!is_breakdown(status));
}

void KeyGate::ended(bool well) noexcept
{
    if (!well) {
        if (breaker_.failed(loop_.now()))
            log_.warning("circuit_open: requests fail at once until it works again", {{"endpoint", name_}});
        return;
    }
    refusals_ = 0;
    if (breaker_.succeeded()) log_.info("circuit_closed: it works again", {{"endpoint", name_}});
}

std::shared_ptr<Model> patient(std::shared_ptr<Model> model)
{
    return std::make_shared<PatientModel>(std::move(model));
}

}  // namespace cadre::llm
