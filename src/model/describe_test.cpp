#include "model/describe.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "base/sim_loop.hpp"
#include "model/read.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;

namespace {

// A small language of its own, with one of everything a description can say.
enum class Mood { calm, wild };
std::span<const EnumName> names_of(const Mood*)
{
    static constexpr EnumName names[] = {{int(Mood::calm), "calm"}, {int(Mood::wild), "very-wild"}};
    return names;
}

struct Circle {
    double radius = 1;
    bool operator==(const Circle&) const = default;
};
const Entity& describe(const Circle*)
{
    static const Entity entity{
        .name = "circle",
        .doc = "Round.",
        .fields = {field("radius", &Circle::radius, "Half its width.", {.required = true, .min = 0})},
        .tag = "circle"};
    return entity;
}
struct Square {
    int side = 1;
    bool operator==(const Square&) const = default;
};
const Entity& describe(const Square*)
{
    static const Entity entity{
        .name = "square", .doc = "Not round.", .fields = {field("side", &Square::side, "Its width.")}, .tag = "square"};
    return entity;
}

struct Tool {
    std::string name{};
    bool operator==(const Tool&) const = default;
};
const Entity& describe(const Tool*)
{
    static const Entity entity{"tool",
                               "Something to call.",
                               {field("name", &Tool::name, "How it is called.", {.required = true, .min_length = 1})}};
    return entity;
}

struct Robot {
    std::string name{};
    std::optional<std::string> nickname{};
    int arms = 2;
    double speed = 0.5;
    bool awake = true;
    Mood mood = Mood::calm;
    Time built{};
    std::vector<std::string> tags{};
    std::vector<Tool> tools{};
    Dict<Tool> pockets{};
    std::vector<std::variant<Circle, Square>> shapes{};
    json::object notes{};
    json::value extra{};
    std::optional<std::string> key{};
    std::vector<std::string> friends{};
    int left_hands = 1;
    bool operator==(const Robot&) const = default;
};
const Entity& describe(const Robot*)
{
    static const Entity entity{
        .name = "robot",
        .doc = "Works.",
        .fields =
            {
                field("name", &Robot::name, "Who it is.",
                      {.required = true, .max_length = 8, .format = Format::snake_name}),
                field("nickname", &Robot::nickname, "What friends say."),
                field("arms", &Robot::arms, "How many it has.", {.min = 1, .max = 8}),
                field("speed", &Robot::speed, "In metres a second.", {.min = 0, .max = 2.5}),
                field("awake", &Robot::awake, "Whether it is."),
                field("mood", &Robot::mood, "How it feels."),
                field("built", &Robot::built, "When.", {.fill = Fill::now}),
                field("tags", &Robot::tags, "Words.", {.max_length = 3, .unique = true}),
                field("tools", &Robot::tools, "In its hands."),
                field("pockets", &Robot::pockets, "Named places."),
                field("shapes", &Robot::shapes, "What it can draw."),
                field("notes", &Robot::notes, "Anything."),
                field("extra", &Robot::extra, "Anything else."),
                field("key", &Robot::key, "Its secret.", {.secret = true}),
                field("friends", &Robot::friends, "Not in the books.", {.extension = true}),
                field("left_hands", &Robot::left_hands, "Of its arms, those on the left."),
            },
        .checks = {check<Robot>({"left_hands", "arms"}, "It has no more left hands than arms.",
                                [](const Robot& robot, const Path& path, Problems& problems) {
                                    if (robot.left_hands > robot.arms)
                                        problems.add(Path(path, "left_hands"), "more left hands than arms");
                                })},
    };
    return entity;
}

const char* const kFull = R"({"name":"r2","nickname":null,"arms":4,"speed":0.5,"awake":false,"mood":"very-wild",)"
                          R"("built":"2025-11-02T10:30:00Z","tags":["a","b"],"tools":[{"name":"saw"}],)"
                          R"("pockets":{"z":{"name":"key"},"a":{"name":"pen"}},)"
                          R"("shapes":[{"type":"square","side":3},{"type":"circle","radius":1.5}],)"
                          R"("notes":{"b":1,"a":[true,null]},"extra":"x","key":null,"left_hands":1})";

std::string problems_in(std::string_view text)
{
    try {
        from_text<Robot>(text);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("an entity is read and written back to the letter, in the order of its description")
{
    const Robot robot = from_text<Robot>(kFull);
    CHECK(robot.mood == Mood::wild);
    CHECK(robot.shapes.size() == 2);
    CHECK(std::get<Square>(robot.shapes[0]).side == 3);
    CHECK(to_json_text(robot) == kFull);
    CHECK(from_text<Robot>(to_json_text(robot)) == robot);
}

TEST_CASE("what is left out keeps the struct's own initialiser")
{
    ManualClock clock;
    const auto robot = from_text<Robot>(R"({"name":"r2"})", {.clock = &clock});
    CHECK(robot.arms == 2);
    CHECK(robot.speed == 0.5);
    CHECK(robot.built == clock.now());
    CHECK(robot.left_hands == 1);
}

TEST_CASE("a secret is read and never written")
{
    const auto robot = from_text<Robot>(R"({"name":"r2","key":"hunter2"})");
    CHECK(robot.key == "hunter2");
    CHECK(to_json_text(robot).find("hunter2") == std::string::npos);
}

TEST_CASE("all problems of an input are reported at once, each with its path and what to do")
{
    CHECK(problems_in(R"({"name":"R2-D2 the second","arms":0,"speed":"fast","mood":"calmm","built":"yesterday",
                          "tags":["a","a",3],"tools":[{"name":"saw"},{"nam":""}],"pockets":{"x":[]},
                          "shapes":[{"type":"sqare"},{"type":"circle","radius":-1}],"notes":[],"colour":1})") ==
          "name: must have at most 8 characters, has 16\n"
          "name: \"R2-D2 the second\" is not a name like agent_1 (lower-case letters, digits and _, a letter first)\n"
          "arms: must be at least 1, is 0\n"
          "speed: must be a number, is text\n"
          "mood: \"calmm\" is none of calm, very-wild, did you mean \"calm\"?\n"
          "built: \"yesterday\" is not a time: the year must be 4 digits\n"
          "tags[2]: must be text, is a number\n"
          "tools[1].nam: is not a field of tool, did you mean \"name\"?\n"
          "tools[1].name: is required\n"
          "pockets.x: must be an object, is a list\n"
          "shapes[0].type: \"sqare\" is unknown, did you mean \"square\"?\n"
          "shapes[1].radius: must be at least 0, is -1\n"
          "notes: must be an object, is a list\n"
          "colour: is not a field of robot");
}

TEST_CASE("each kind of wrong value has its sentence")
{
    struct {
        const char* text;
        const char* says;
    } const cases[] = {
        {"[]", "must be an object, is a list"},
        {R"({})", "name: is required"},
        {R"({"name":null})", "name: must be text, is null"},
        {R"({"name":"a","arms":1.5})", "arms: must be a whole number of at most 64 bits"},
        {R"({"name":"a","arms":99999999999})", "arms: 99999999999 is out of range"},
        {R"({"name":"a","arms":18446744073709551615})", "arms: must be a whole number of at most 64 bits"},
        {R"({"name":"a","arms":2e25})", "arms: must be a whole number of at most 64 bits"},
        {R"({"name":"a","arms":true})", "arms: must be a whole number, is true or false"},
        {R"({"name":"a","tags":["x","y","z","w"]})", "tags: must have at most 3 elements, has 4"},
        {R"({"name":"a","tags":["x","x"]})", "tags[1]: \"x\" is here twice; remove one of them"},
        {R"({"name":"a","shapes":[{}]})", "shapes[0].type: is required"},
        {R"({"name":"a","tools":[{"name":""}]})", "tools[0].name: must not be empty"},
        {R"({"name":"a","arms":2,"left_hands":3})", "left_hands: more left hands than arms"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(problems_in(c.text) == c.says);
    }
    CHECK_NOTHROW(from_text<Robot>(R"({"name":"a","arms":3.0})"));  // whole, whoever printed it
}

TEST_CASE("an extension is written only when it says something")
{
    Robot robot = from_text<Robot>(kFull);
    robot.friends = {"c3po"};
    CHECK(to_json_text(robot).find(R"("friends":["c3po"])") != std::string::npos);
    CHECK(from_text<Robot>(to_json_text(robot)) == robot);
    robot.friends.clear();
    CHECK(to_json_text(robot) == kFull);
}

TEST_CASE("an entity made in C++ obeys the same rules")
{
    Robot robot = from_text<Robot>(kFull);
    CHECK(problems_of(robot).empty());
    robot.arms = 9;
    robot.tools.push_back({});
    CHECK(problems_of(robot).text() == "arms: must be at most 8, is 9\ntools[1].name: must not be empty");
}

TEST_CASE(
    "the A2A dialect reads any case and numbers from strings, and leaves nulls out")  // SER-04 U, SER-05 U, SER-06 U
{
    struct Choice {
        std::string agentId{};
        double confidence = 0;
        int count = 0;
        std::optional<std::string> reasoning{};
    };
    static const Entity entity{
        .name = "choice",
        .doc = "A choice.",
        .fields = {field("agentId", &Choice::agentId, "Who."), field("confidence", &Choice::confidence, "How sure."),
                   field("count", &Choice::count, "How often."), field("reasoning", &Choice::reasoning, "Why.")},
        .dialect = kA2a};
    Choice choice;
    Problems problems;
    read(parse_json(R"({"AgentID":"x","confidence":"0.95","COUNT":"7"})"), &choice, entity, {}, problems, {});
    CHECK(problems.text() == "");
    std::string out;
    write(out, &choice, entity);
    CHECK(out == R"({"agentId":"x","confidence":0.95,"count":7})");
    problems = {};
    read(parse_json(R"({"agentId":"x","AgentID":"y"})"), &choice, entity, {}, problems, {});
    CHECK(problems.text() == "agentId: is here twice; remove one of them");
}

TEST_CASE(
    "a null that is not the default is written even where nulls are left out, or it would come back as the default")
{
    struct Router {
        std::optional<double> temperature = 0.3;
        std::optional<std::string> prompt{};
    };
    static const Entity entity{.name = "router",
                               .doc = "Options.",
                               .fields = {field("Temperature", &Router::temperature, "How free."),
                                          field("Prompt", &Router::prompt, "What it is told.")},
                               .dialect = kA2a};
    Router router{.temperature = std::nullopt};
    std::string out;
    write(out, &router, entity);
    CHECK(out == R"({"Temperature":null})");
}

TEST_CASE("a hostile input yields a bounded list of problems")
{
    std::string text = R"({"name":"a")";
    for (int i = 0; i < 5000; ++i) text += fmt::format(",\"k{}\":{}", i, i);
    CHECK(problems_in(text + "}").ends_with("and 4900 more"));
}

TEST_CASE("the words for what is above a limit are not used for what is below it")
{
    struct Attempt {
        int number = 1;
    };
    static const Entity entity{
        .name = "attempt",
        .doc = "A try.",
        .fields = {field("number", &Attempt::number, "Which.", {.min = 1, .max = 1, .says_above = "Only one"})}};
    auto problems = [&](int number) {
        const Attempt attempt{.number = number};
        Problems found;
        validate(&attempt, entity, {}, found);
        return found.text();
    };
    CHECK(problems(0) == "number: must be at least 1, is 0");
    CHECK(problems(1) == "");
    CHECK(problems(2) == "number: Only one");
}

TEST_CASE("an entity may be read from other forms of its JSON, and is made without its C++ type")
{
    struct Name {
        std::string name = "nobody";
    };
    static const Entity entity{.name = "name",
                               .doc = "A name.",
                               .fields = {field("name", &Name::name, "The name.")},
                               .accept = [](const json::value& given, json::value& plain) {
                                   if (!given.is_string()) return false;
                                   plain = json::object{{"name", given}};
                                   return true;
                               }};
    for (const char* text : {R"("ann")", R"({"name":"ann"})"}) {
        const std::shared_ptr<void> made = entity.make();
        CHECK(static_cast<Name*>(made.get())->name == "nobody");
        Problems problems;
        read(parse_json(text), made.get(), entity, {}, problems, {});
        CHECK(problems.text() == "");
        CHECK(static_cast<Name*>(made.get())->name == "ann");
    }
    CHECK_FALSE(Entity{.name = "none", .doc = "", .fields = {}}.make());
}
