#include "home/verbs.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "home/artifact_requests.hpp"
#include "home/home_owner.hpp"
#include "home/memory_requests.hpp"
#include "home/requests.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::home {
namespace {

/// A newer or older process may know other fields.
constexpr model::ReadOptions kFromCallers{.ignore_unknown = true};

/// Whether what happens is told before the answer comes.
template <class Request>
constexpr bool tells =
    requires(HomeOwner& owner, Listener& listener) { owner.perform(engine::Principal{}, Request{}, listener); };

template <class Request>
Async<std::string> perform(HomeOwner& owner, engine::Principal by, boost::json::object args,
                           [[maybe_unused]] Listener& listener)
{
    auto request = model::from_json<Request>(std::move(args), kFromCallers);
    if constexpr (tells<Request>)
        co_return model::to_json_text(co_await owner.perform(std::move(by), std::move(request), listener));
    else co_return model::to_json_text(co_await owner.perform(std::move(by), std::move(request)));
}

template <class Request>
Verb verb()
{
    return {Request::verb,
            Request::act,
            describe(static_cast<const Request*>(nullptr)),
            describe(static_cast<const typename Request::Answer*>(nullptr)),
            tells<Request>,
            &perform<Request>};
}

}  // namespace

std::span<const Verb> verbs()
{
    static const Verb kVerbs[] = {
        verb<Hello>(),
        verb<Create>(),
        verb<Start>(),
        verb<AnswerQuestion>(),
        verb<Resume>(),
        verb<Cancel>(),
        verb<Pause>(),
        verb<AwaitRest>(),
        verb<Instruct>(),
        verb<Intervene>(),
        verb<ChangeBreakpoints>(),
        verb<Park>(),
        verb<Driving>(),
        verb<Undo>(),
        verb<Fork>(),
        verb<Import>(),
        verb<Collect>(),
        verb<Remove>(),
        verb<Rebuild>(),
        verb<ListMemory>(),
        verb<SearchMemory>(),
        verb<AddMemory>(),
        verb<ForgetMemory>(),
        verb<ConsolidateMemory>(),
        verb<SummarizeMemory>(),
        verb<RestoreArtifact>(),
        verb<Drive>(),
        verb<Watch>(),
        verb<DriveAll>(),
    };
    return kVerbs;
}

const Verb& get_verb(std::string_view name)
{
    const auto all = verbs();
    const auto found = std::ranges::find(all, name, &Verb::name);
    if (found == all.end())
        throw Error(Code::invalid, "the owner of the home does not know the request " + in_quotes(name) +
                                       "; it may be of an older version of cadre");
    return *found;
}

}  // namespace cadre::home
