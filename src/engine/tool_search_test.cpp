#include "engine/test_world.hpp"
#include "engine/tool_search.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;

namespace {

using Specs = std::vector<llm::ToolSpec>;
using Names = std::vector<std::string>;

Names found(const Specs& specs, std::string_view query, std::size_t limit = 5)
{
    Names names;
    for (const llm::ToolSpec* spec : search(specs, query, limit)) names.push_back(spec->name);
    return names;
}

const Specs kOffice{{"createIssue", "Opens a new issue in a project of the tracker.", "{}"},
                    {"list_issues", "Lists issues, newest first.", "{}"},
                    {"send_mail", "Sends a mail to a person.", "{}"},
                    {"read_calendar", "Reads the events of a person's calendar.", "{}"},
                    {"añadir_nota", "Añade una nota.", "{}"}};

/// An agent with all tools of a server that has very many.
struct Hall : World {
    Hall()
    {
        patterns.add({"talk@1", [](Run& run) -> Async<model::Reply> {
                          run.tell("Go.");
                          while (true) {
                              const Step step = co_await run.think(run.agent());
                              if (step.calls.empty()) co_return run.reply(step.text);
                              co_await run.use(run.agent(), step.calls);
                          }
                      }});
        std::vector<std::string> names{"calculator"};
        for (int i = 0; i < 100; ++i) names.push_back("act_" + std::to_string(i));
        names.emplace_back("send_mail");
        team = team_of(names);
        for (std::size_t i = 1; i < names.size(); ++i) {
            add_tool(names[i], model::Effect::pure);
            team->tools.push_back(
                {.name = names[i], .type = model::ToolType::mcp, .description = "Does " + names[i], .server = "hall"});
        }
        restart();
    }
};

Names names_of(const llm::Request& request)
{
    Names names;
    for (const llm::ToolSpec& spec : *request.tools) names.push_back(spec.name);
    return names;
}

}  // namespace

TEST_CASE("tools are found by words of their names and descriptions, the rare words first")
{
    CHECK(found(kOffice, "open an issue") == Names{"createIssue", "list_issues"});
    CHECK(found(kOffice, "list_issues").front() == "list_issues");
    CHECK(found(kOffice, "calendars") == Names{});
    CHECK(found(kOffice, "calend") == Names{"read_calendar"});
    CHECK(found(kOffice, "MAIL someone") == Names{"send_mail"});
    CHECK(found(kOffice, "añadir") == Names{"añadir_nota"});
    CHECK(found(kOffice, "person", 1).size() == 1);
    CHECK(found(kOffice, "") == Names{});
    CHECK(found({}, "mail") == Names{});
}

TEST_CASE("many tools, or a few long ones, are too many")
{
    CHECK_FALSE(are_too_many(kOffice));
    CHECK(are_too_many(Specs(65)));
    CHECK(are_too_many({{"long", std::string(50'000, 'x'), "{}"}}));
}

TEST_CASE("an agent with too many tools searches for those of servers, and sees what it found or called")
{
    Hall hall;
    std::vector<Names> seen;
    hall.model->answer = [&](const llm::Request& request) {
        seen.push_back(names_of(request));
        if (seen.size() == 1) return calls("search_tools", {{"query", "send a mail"}});
        if (seen.size() == 2) return calls("send_mail");
        if (seen.size() == 3) return calls("act_7");  // never searched for
        return llm::Completion{.text = "sent"};
    };
    const TaskState state = hall.rest(hall.begin("talk@1", {.agent = "worker"}));
    CHECK(state.reply->text == "sent");
    REQUIRE(seen.size() == 4);
    CHECK(seen[0] == Names{"calculator", "search_tools"});
    CHECK(seen[1] == Names{"calculator", "search_tools", "send_mail"});
    CHECK(seen[2] == seen[1]);
    CHECK(seen[3] == Names{"calculator", "search_tools", "send_mail", "act_7"});
    CHECK(hall.wait(hall.commands->replay(kAnn, state.id)).diverged == "");
}

TEST_CASE("what was found is found again after a restart")
{
    Hall hall;
    Names last;
    hall.model->answer = [&](const llm::Request& request) {
        last = names_of(request);
        if (request.nth == 1) return calls("search_tools", {{"query", "mail"}, {"limit", 1}});
        return request.nth == 2 ? calls("send_mail") : llm::Completion{.text = "sent"};
    };
    const Id id = hall.begin("talk@1", {.agent = "worker"});
    hall.restart();
    hall.wait(hall.host->wake(id));
    CHECK(hall.rest(id).reply->text == "sent");
    CHECK(last == Names{"calculator", "search_tools", "send_mail"});
}

TEST_CASE("a task whose agent searches goes on after it has waited for a person")
{
    Hall hall;
    hall.team->tools.back().permission = model::Permission::ask;
    hall.model->answer = [&](const llm::Request& request) {
        return request.nth == 1 ? calls("send_mail") : llm::Completion{.text = "sent"};
    };
    const Id id = hall.begin("talk@1", {.agent = "worker"});
    CHECK(hall.rest(id).status == model::TaskStatus::waiting);
    hall.restart();
    hall.wait(hall.commands->answer(kAnn, id, "", {.verb = model::HumanVerb::approve}, false));
    CHECK(hall.rest(id).reply->text == "sent");
}

TEST_CASE("a tool that is not there is met with the nearest one, not with all names")
{
    Hall hall;
    std::string heard;
    hall.model->answer = [&](const llm::Request& request) {
        if (request.nth == 1) return calls("mail");
        heard = request.messages.back()->text;
        return llm::Completion{.text = "ok"};
    };
    CHECK(hall.rest(hall.begin("talk@1", {.agent = "worker"})).reply->text == "ok");
    CHECK(heard == "You have no tool called \"mail\"; did you mean send_mail?");
}
