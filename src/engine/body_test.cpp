#include "engine/body.hpp"

#include "engine/perform.hpp"
#include "engine/task_state.hpp"
#include "support/error_of.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <set>

using namespace cadre;
using namespace cadre::engine;
using storage::Record;
using storage::RecordKind;

namespace {

Record with(RecordKind kind, std::string body)
{
    return {.seq = 7, .kind = kind, .body = std::move(body)};
}

std::string written(const Body& body)
{
    return body.visit([]<class Kind>(const Kind& kind) -> std::string {
        if constexpr (std::is_same_v<Kind, NodeDoneBody>) return std::string(kind.result);
        else if constexpr (std::is_same_v<Kind, NewerBody>) return {};
        else return text_of(kind);
    });
}

/// As journals have them: these bytes never change.
struct Sample {
    RecordKind kind;
    std::string body;
};

constexpr std::string_view kReply =
    R"({"task":"8b5e2e48-46e1-4267-bbf1-2503321f462c","agent":"worker","text":"gate:6742;","ok":true,"error":null,"elapsed_ms":2099,)"
    R"("sources":[],"calls":[],"suggestions":[],"confidence":"high","partial":false,"formatted":null})";
constexpr std::string_view kRequest =
    R"({"id":"c1af8acc-35ed-42ff-a052-52d0d27a2e33","task":"326f8ef4-5efb-4016-b33c-b4be407c3add","checkpoint":"branch:1.0/use:1.2",)"
    R"("type":"outcome_unknown","agent":"worker","context":{"tool":"gate","arguments":{"n":93465},"key":"7c2b35d73f59f8adbd557f553603a66c",)"
    R"("why":"the process ended during the call","question":"It is not known whether this call happened. Did it?"},"timeout_ms":null,"answer":null})";

std::string with_value(std::string_view before, std::string_view value, std::string_view behind)
{
    return std::string(before).append(value).append(behind);
}

const Sample kSamples[] = {
    {RecordKind::created,
     R"({"description":"plan \"6\"","agent":"worker","pattern":"plan@1","config":"9957","model":"","mode":"autonomous",)"
     R"("budget":{"tokens":null,"cost":null,"steps":null,"wall_ms":null,"depth":null},"created_by":"","kind":"","session":null,)"
     R"("parent":null,"depth":0,"retention_days":null,"breakpoints":[],"input":{},"metadata":{},"forked_from":null,"imported":null})"},
    {RecordKind::started, R"({"prompt":"Say \"hi\".\n","mode":"autonomous"})"},
    {RecordKind::started, R"({"prompt":"Go on.","mode":"step","history":"9c1f"})"},
    {RecordKind::unknown, with_value(R"({"request":)", kRequest, "}")},
    {RecordKind::node_done, "null"},
    {RecordKind::node_done, R"("a draft")"},
    {RecordKind::answer,
     R"({"request":"f42a8815-91a7-4087-9efe-62a63cd330ce","type":"approval","answer":{"verb":"modify","message":"less",)"
     R"("updates":{"arguments":{"n":1}},"by":"ann","after_ms":12}})"},
    {RecordKind::instruction, R"({"text":"Be brief.","by":"ann"})"},
    {RecordKind::cancel, R"({"by":"ann","reason":""})"},
    {RecordKind::pause, R"({"reason":"user_request","text":"paused by ann"})"},
    {RecordKind::pause, R"({"reason":"breakpoint","text":"tool:pay, before use:1.0","breakpoint":"tool:pay"})"},
    {RecordKind::resume, R"({"steps":2,"by":"ann"})"},
    {RecordKind::resume, R"({"steps":0,"by":"ann","continue":true})"},
    {RecordKind::setting, R"({"budget":{"tokens":900,"cost":0.25,"steps":1,"wall_ms":null,"depth":null}})"},
    {RecordKind::setting, R"({"breakpoints":["tool:pay"]})"},
    {RecordKind::late_result, R"({"effect":"use","call":"tc_1","tool":"look","text":"seen","ms":3})"},
    {RecordKind::note, R"({"drift":"instructions, tools"})"},
    {RecordKind::completed, with_value(R"({"steps":2,"ms":40,"reply":)", kReply, "}")},
    {RecordKind::failed, R"({"steps":2,"ms":40,"code":"limit","message":"steps (2) are used up"})"},
    {RecordKind::cancelled, R"({"steps":2,"ms":40})"},
    {RecordKind::attempt_failed,
     R"({"effect":"think","attempt":1,"error":{"code":"upstream","message":"overloaded"},"retry_in_ms":1000})"},
    {RecordKind::attempt_failed,
     R"({"effect":"think","attempt":2,"error":{"code":"upstream","message":"gone"},"retry_in_ms":0,"free":true,"choice":1,"failures":0})"},
    {RecordKind::upkeep, R"({"what":"forget","detail":{"items":3}})"},
    {RecordKind::upkeep,
     R"({"what":"upload","by":"ann","artifact":{"path":"a.txt","version":2,"sha256":"ab","size":3,"mime_type":"text/plain"},"change":"modified","before":1})"},
    // intents
    {RecordKind::intent,
     R"({"effect":"think","attempt":1,"agent":"worker","step":"s1","nth":1,"parts":{"agent":"1f3a"}})"},
    {RecordKind::intent,
     R"({"effect":"think","attempt":2,"choice":1,"agent":"worker","step":"s2","nth":1,"inputs":[4,6],"model":"openai/x","reserve":900,"reserve_cost":0.002,"parts":{"agent":"1f3a"}})"},
    {RecordKind::intent,
     R"({"effect":"think","attempt":1,"agent":"worker","step":"s1","nth":2,"memory":["mem_1"],"parts":{"agent":"1f3a"}})"},
    {RecordKind::intent,
     R"({"effect":"think","attempt":1,"agent":"worker","step":"s1","nth":1,"iterations":2,"parts":{"agent":"1f3a"}})"},
    {RecordKind::intent,
     R"({"effect":"use","attempt":1,"key":"9c#2","agent":"worker","call":{"id":"tc_1","tool_name":"look","args":{"at":[1,{"x":"}\""}]}},"parts":{"tool":"aa"}})"},
    {RecordKind::intent, with_value(R"({"effect":"ask","attempt":1,"due":"2026-01-02T03:04:05.678Z","request":)",
                                    kRequest, R"(,"parts":{"type":"bb"}})")},
    {RecordKind::intent, R"({"effect":"delegate","attempt":1,"agent":"helper","child":"0b9d","parts":{"agent":"cc"}})"},
    {RecordKind::intent,
     R"({"effect":"sleep","attempt":1,"due":"2026-01-02T03:04:05.678Z","parts":{"duration":"dd"}})"},
    {RecordKind::intent, R"({"effect":"recall","attempt":1,"parts":{}})"},
    {RecordKind::intent, R"({"effect":"remember","attempt":1,"parts":{}})"},
    {RecordKind::intent, R"({"effect":"save","attempt":1,"parts":{}})"},
    {RecordKind::intent, R"({"effect":"check","attempt":1,"agent":"worker","parts":{}})"},
    {RecordKind::intent,
     R"({"effect":"send","attempt":1,"key":"9c","agent":"worker","channel":"sms","to":"+1","content":"hi","parts":{"to":"aa"}})"},
    {RecordKind::intent, R"({"effect":"now","attempt":1,"parts":{}})"},
    {RecordKind::intent, R"({"effect":"fresh_id","attempt":1,"parts":{}})"},
    {RecordKind::intent, R"({"effect":"first","attempt":1,"parts":{}})"},
    {RecordKind::intent, R"({"effect":"join","attempt":1,"parts":{}})"},
    {RecordKind::intent, R"({"effect":"announce","attempt":1,"parts":{}})"},
    {RecordKind::intent, R"({"effect":"heed","attempt":1,"parts":{}})"},
    {RecordKind::intent, R"({"effect":"route","attempt":1,"parts":{}})"},
    {RecordKind::intent, R"({"effect":"compact","attempt":1,"parts":{}})"},
    // outcomes
    {RecordKind::outcome,
     R"({"effect":"think","agent":"worker","step":"s1","text":"Zwölf \u0001 \"x\"","calls":[{"id":"tc_1","tool_name":"look","args":{},"timeout":3}],)"
     R"("usage":{"input":10,"output":5,"cached":2,"reasoning":1,"cost":0.0015,"estimated":true,"unpriced":true},"finish":"length","model":"m","reasoning":"so","opaque":"[1]","ms":7})"},
    {RecordKind::outcome,
     R"({"effect":"think","agent":"worker","step":"s1","text":"","usage":{"input":0,"output":0},"ms":0})"},
    {RecordKind::outcome,
     R"({"effect":"think","agent":"worker","step":"s1","error":{"code":"upstream","message":"\"no\""}})"},
    {RecordKind::outcome, R"({"effect":"think","agent":"worker","step":"s1","cancelled":true})"},
    {RecordKind::outcome,
     R"({"effect":"use","call":"tc_1","tool":"look","text":"seen","is_error":true,"artifacts":["a.txt"],"exit_code":-1,)"
     R"("resource_usage":{"output_bytes":4,"cpu_ms":1,"peak_memory_bytes":2},"images":[{"mime_type":"image/png","base64":"AAAA"}],"ms":3})"},
    {RecordKind::outcome, R"({"effect":"use","call":"tc_1","tool":"look","text":"no","is_error":true,"refused":true})"},
    {RecordKind::outcome, R"({"effect":"use","call":"tc_1","tool":"search_tools","text":"1 tool","found":["look"]})"},
    {RecordKind::outcome, R"({"effect":"use","call":"tc_1","tool":"pay","text":"paid","resolved":true})"},
    {RecordKind::outcome,
     R"({"effect":"use","call":"tc_1","tool":"recall","text":"x","ms":3,"memory":{"operation":"retrieve","agent":"worker",)"
     R"("references":[{"memory_id":"mem_1","memory_type":"semantic","relevance_score":0.5,"retrieval_query":"plums"}],"query":"plums","threshold":0.25}})"},
    {RecordKind::outcome, R"({"effect":"ask","cancelled":true})"},
    {RecordKind::outcome, with_value(R"({"effect":"delegate","child":"0b9d","reply":)", kReply, "}")},
    {RecordKind::outcome,
     R"({"effect":"recall","agent":"worker","query":"plums","hits":[{"id":"m1","type":"semantic","text":"blue","score":0.5}],"encoder":"words","threshold":0.25})"},
    {RecordKind::outcome,
     R"({"effect":"remember","agent":"worker","id":"m1","type":"semantic","change":"merged","size":4})"},
    {RecordKind::outcome,
     R"({"effect":"save","agent":"worker","artifact":{"path":"a.txt","version":1,"sha256":"ab","size":3,"mime_type":"text/plain"},"change":"created"})"},
    {RecordKind::outcome,
     R"({"effect":"check","agent":"worker","place":"tool_call","action":"rewrite","checks":[],"policy":"7","text":"{}"})"},
    {RecordKind::outcome, R"({"effect":"send","channel":"sms","id":"SM1"})"},
    {RecordKind::outcome, R"({"effect":"send","channel":"sms","text":"SM1","resolved":true})"},
    {RecordKind::outcome, R"({"effect":"sleep"})"},
    {RecordKind::outcome, R"({"effect":"now","at":"2026-01-02T03:04:05.678Z"})"},
    {RecordKind::outcome, R"({"effect":"fresh_id","id":"0b9d"})"},
    {RecordKind::outcome, R"({"effect":"first","winner":1})"},
    {RecordKind::outcome, R"({"effect":"join","winners":[2,0]})"},
    {RecordKind::outcome, R"({"effect":"announce","what":"handoff","agent":"a","key":"1","fact":{"to":"b"},"events":[)"
                          R"({"type":"event_agent_handoff","from_agent":"a","to_agent":"b","reason":"",)"
                          R"("timestamp":"2026-01-02T03:04:05.678Z","context":{},"handoff_type":"sequential"}]})"},
    {RecordKind::outcome, R"({"effect":"heed","seen":12,"inputs":[7,9]})"},
    {RecordKind::outcome,
     R"({"effect":"route","decision":{"query":"q","target_kind":"agent","targets":["legal"],"confidence":0.5,"reasoning":"","ambiguous":false,"clarify":false},"encoder":"words"})"},
    {RecordKind::outcome,
     R"({"effect":"compact","agent":"worker","upto":4,"kept":[0],"summary":"so far","shortened":[{"message":5,"text":"[cut]"}],"tokens_before":900,"tokens_after":90})"},
};

}  // namespace

TEST_CASE("a record's body: what is read is written again, byte for byte, whatever its kind and effect")
{
    std::set<RecordKind> kinds;
    std::set<std::size_t> intents, outcomes;
    for (const Sample& sample : kSamples) {
        CAPTURE(sample.body);
        const Record record = with(sample.kind, sample.body);
        const Body body(record);
        body.expect_readable();
        CHECK(written(body) == sample.body);
        kinds.insert(sample.kind);
        if (const auto* intent = body.find<IntentBody>()) intents.insert(intent->of.index());
        if (const auto* outcome = body.find<OutcomeBody>()) outcomes.insert(outcome->of.index());
    }
    CHECK(kinds.size() == std::variant_size_v<Body::Variant> - 1);  // the last is of newer releases
    CHECK(intents.size() == kEffectKinds);
    CHECK(outcomes.size() == kEffectKinds);
}

TEST_CASE("a record's body: what effects write by hand is what their structs say")
{
    for (std::size_t i = 0; i < kEffectKinds; ++i) {
        Effect effect{.ask = RequestDigest(static_cast<EffectKind>(i)), .path = "x:1"};
        CAPTURE(name_of(effect.ask.kind()));
        effect.ask.part("agent", "worker").part("arguments", "{}");
        if (effect.ask.kind() == EffectKind::think) effect.intent = R"("agent":"worker","step":"s","nth":3)";
        effect.reserve = {.tokens = 70, .cost = 0.5};
        const Attempt attempt{.number = 2, .choice = 1, .key = "k#2"};
        const Record intent = with(RecordKind::intent, intent_text(effect, attempt));
        const auto read = body_of<IntentBody>(intent);
        CHECK(read.of.index() == i);
        CHECK(read.attempt == 2);
        CHECK(read.choice == 1);
        CHECK(read.key.str() == "k#2");
        CHECK(read.reserve == 70);
        CHECK(read.reserve_cost == 0.5);
        CHECK(text_of(read) == intent.body);

        const Record failed =
            with(RecordKind::outcome, outcome_text(effect, error_members(Code::limit, "no \"more\"")));
        CHECK(body_of<OutcomeBody>(failed).of.index() == i);
        CHECK(text_of(body_of<OutcomeBody>(failed)) == failed.body);
        CHECK(test::error_of([&] { throw_recorded_error(body_of<OutcomeBody>(failed)); }) == "limit: no \"more\"");
        CHECK_FALSE(was_cancelled(failed));
        const Record cancelled = with(RecordKind::outcome, outcome_text(effect, kCancelledMembers));
        CHECK(was_cancelled(cancelled));
        CHECK(body_of<OutcomeBody>(cancelled).cancelled);
        CHECK(effect_of(cancelled) == effect.ask.kind());
    }
}

TEST_CASE("a record's body: members are read by type, and what is of another one is empty")
{
    const Record record =
        with(RecordKind::outcome,
             R"({"effect":"use","text":5,"call":"a \"quoted\" \\","tool":"x,y}","is_error":1,"ms":"5","exit_code":1.5,)"
             R"("artifacts":["}"],"more":{"list":[1,{"text":"}"}]}})");
    const auto outcome = body_of<OutcomeBody>(record);
    const auto& use = own_of<UseOutcome>(outcome, record);
    CHECK(use.text.is_set());
    CHECK(use.text.str().empty());
    CHECK(use.call.str() == R"(a "quoted" \)");
    CHECK(use.tool.str() == "x,y}");
    CHECK_FALSE(use.is_error);
    CHECK(use.ms == 0);
    CHECK(use.exit_code == 0);
    CHECK(use.artifacts.get() == std::vector<std::string>{"}"});
    CHECK_FALSE(use.found.is_set());
    CHECK(use.found.get().empty());
    CHECK_FALSE(outcome.error.is_set());
}

TEST_CASE("a record's body: other people's spelling of JSON is read too")
{
    const Record record = with(RecordKind::instruction, " { \"te\\u0078t\" : \"x\" ,\n \"by\":\"ann\" } ");
    CHECK(body_of<InstructionBody>(record).text.str() == "x");
    CHECK(body_of<InstructionBody>(record).by.str() == "ann");
    CHECK_FALSE(body_of<InstructionBody>(with(RecordKind::instruction, "{ }")).text.is_set());
    const Record late = with(RecordKind::intent, R"({"attempt":3,"agent":"a","effect":"delegate"})");
    CHECK(own_of<DelegateIntent>(body_of<IntentBody>(late), late).agent.str() == "a");
}

TEST_CASE("a record's body: what a newer release wrote is tolerated")
{
    const Record newer = with(static_cast<RecordKind>(77), "no JSON at all");
    CHECK(Body(newer).find<NewerBody>() != nullptr);

    const Record intent = with(RecordKind::intent, R"({"effect":"dream","attempt":2,"agent":"a","depth":3})");
    CHECK(std::holds_alternative<NewerIntent>(body_of<IntentBody>(intent).of));
    CHECK(agent_of(body_of<IntentBody>(intent).of).str() == "a");
    const Record outcome = with(RecordKind::outcome, R"({"effect":"dream","usage":{"input":3,"output":4,"more":[]}})");
    CHECK(usage_of(body_of<OutcomeBody>(outcome).of).get().output == 4);

    TaskState state;
    for (const Record& record : {newer, intent, outcome}) apply(state, record);
    CHECK(state.usage.input == 3);  // it has cost that
}

TEST_CASE("a record's body: what cannot be read names the record")
{
    for (const char* text :
         {"", "[]", "{", R"({"a":1)", R"({"a":1}})", R"({"a":})", R"({"a")", R"({"a":"x})", R"({"a":1,})", "null"})
        for (const RecordKind kind :
             {RecordKind::intent, RecordKind::outcome, RecordKind::pause, RecordKind::late_result}) {
            CAPTURE(text);
            const Record record = with(kind, text);
            CHECK(test::error_of([&] { Body body(record); }) == doctest::Contains("record 7"));
        }
    const Record pause = with(RecordKind::pause, R"({"reason":"because","text":x,"breakpoint":"\q"})");
    CHECK(test::error_of([&] { body_of<PauseBody>(pause).reason.get(); }) == doctest::Contains("record 7"));
    CHECK(test::error_of([&] { body_of<PauseBody>(pause).breakpoint.str(); }) == doctest::Contains("record 7"));
    CHECK(test::error_of([&] { Body(pause).expect_readable(); }) == doctest::Contains("record 7"));
    CHECK(test::error_of([&] { body_of<NoteBody>(pause); }) == doctest::Contains("record 7"));
    const Record created = with(RecordKind::created, R"({"pattern":5})");
    CHECK(test::error_of([&] { body_of<CreatedBody>(created).spec.get(); }) == doctest::Contains("record 7"));
    const Record sleep = with(RecordKind::intent, R"({"effect":"sleep","attempt":1})");
    TaskState state;
    CHECK(test::error_of([&] { apply(state, sleep); }) == doctest::Contains("record 7"));
    const Record outcome = with(RecordKind::outcome, R"({"effect":"ask","usage":[]})");
    CHECK(test::error_of([&] { own_of<ThinkOutcome>(body_of<OutcomeBody>(outcome), outcome); }) ==
          doctest::Contains("record 7"));
}

TEST_CASE("a record's body: with something changed, the rest stays")
{
    const Record intent =
        with(RecordKind::intent, R"({"effect":"think","inputs":[4],"cost":2.0,"parts":{"a":"b"},"new":"é"})");
    CHECK(with_inputs(intent, {9, 10}) ==
          R"({"effect":"think","inputs":[9,10],"cost":2.0,"parts":{"a":"b"},"new":"é"})");
    CHECK(without_parts(intent).find("parts") == std::string::npos);
    CHECK(without_parts(intent).find(R"("cost":2.0)") != std::string::npos);
    const Record created = with(RecordKind::created, R"({"pattern":"react@1","new":1})");
    const Imported mark{.hash = "ff", .at = Time{}};
    const Record marked = with(RecordKind::created, with_mark(created, &mark));
    CHECK(body_of<CreatedBody>(marked).spec.get().imported == mark);
    CHECK(with_mark(marked, nullptr) == created.body);
}
