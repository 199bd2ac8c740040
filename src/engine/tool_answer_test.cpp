#include "base/base64.hpp"
#include "base/secret.hpp"
#include "engine/test_world.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace cadre;
using namespace cadre::engine;
using namespace cadre::engine::testing;
using namespace std::chrono_literals;

namespace fs = std::filesystem;

namespace {

/// An agent that looks once, and a folder for what it sees.
struct Studio : World {
    Studio()
    {
        std::string name = (fs::temp_directory_path() / "cadre_answer_XXXXXX").string();
        folder = ::mkdtemp(name.data());
        env->workspace = [this](const Id&) { return folder; };
        patterns.add({"look@1", [](Run& run) -> Async<model::Reply> {
                          run.tell("Go.");
                          const Step step = co_await run.think(run.agent());
                          co_await run.use(run.agent(), step.calls);
                          co_return run.reply((co_await run.think(run.agent())).text);
                      }});
        tool = add_tool("look", model::Effect::pure);
        team = team_of({"look"});
        model->answer = [](const llm::Request& request) { return request.nth == 1 ? calls("look") : says("seen"); };
        restart();
    }
    ~Studio() { fs::remove_all(folder); }
    std::string file(const std::string& path) const
    {
        std::ifstream in(folder / path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    Id look() { return begin("look@1", {.agent = "worker"}); }

    fs::path folder;
    std::shared_ptr<FakeTool> tool;
};

class Slow final : public tools::Tool {
public:
    Slow() { definition_ = {.name = "slow", .effect = model::Effect::pure}; }
    const model::Tool& definition() const override { return definition_; }
    Async<tools::Result> call(tools::Call, tools::ToolContext& context) override
    {
        for (int i = 1; i <= 30; ++i) {
            co_await sleep_for(50ms);
            context.progress(std::to_string(i) + " of 30");
        }
        co_return tools::Result{.text = "done"};
    }

private:
    model::Tool definition_;
};

}  // namespace

TEST_CASE("an image that a tool answers with is shown to the model, and kept as a file; a sound is kept")
{
    Studio studio;
    studio.tool->answer = [](const tools::Call&) {
        return tools::Result{.text = "Here.",
                             .media = {{"image/png", to_base64("png")},
                                       {"audio/wav", to_base64("wav")},
                                       {"image/png", "not base64!"},
                                       {"image/tiff", to_base64("tiff")}}};
    };
    const TaskState state = studio.rest(studio.look());
    CHECK(state.reply->text == "seen");
    const llm::Message& heard = *studio.model->requests.at(1).messages.back();
    REQUIRE(heard.images.size() == 1);
    CHECK(heard.images[0] == llm::Image{.media_type = "image/png", .data = to_base64("png")});
    const std::string stem = "outputs/" + heard.call_id;
    CHECK(heard.text == "Here.\n[image/png: 3 bytes, in " + stem + "-1.png]\n[audio/wav: 3 bytes, in " + stem +
                            "-2.wav]\n[image/png: left out, it is not base64]\n[image/tiff: 4 bytes, in " + stem +
                            "-4.bin]");
    CHECK(studio.file(stem + "-1.png") == "png");
    CHECK(studio.file(stem + "-2.wav") == "wav");
    CHECK(studio.wait(studio.commands->replay(kAnn, state.id)).diverged == "");
}

TEST_CASE("what was seen before a restart is seen after it, and images that are too large are only kept")
{
    Studio studio;
    studio.tool->answer = [](const tools::Call&) {
        return tools::Result{
            .media = {{"image/png", to_base64("small")}, {"image/png", to_base64(std::string(4 << 20, 'x'))}}};
    };
    studio.model->delay = 1s;
    const Id id = studio.look();
    studio.wait(sleep_for(1500ms));  // it thinks about what it saw
    studio.restart();
    studio.wait(studio.host->wake(id));
    CHECK(studio.rest(id).reply->text == "seen");
    CHECK(studio.tool->dispatched.size() == 1);
    const llm::Message& heard = *studio.model->requests.back().messages.back();
    REQUIRE(heard.images.size() == 1);
    CHECK(heard.images[0].data == to_base64("small"));
}

TEST_CASE("a key that a tool gives away is masked before anybody hears of it")
{
    Studio studio;
    const Secret key("sesame-1234-open");
    studio.tool->answer = [](const tools::Call&) { return tools::Result{.text = "The key is sesame-1234-open."}; };
    const Id id = studio.look();
    CHECK(studio.rest(id).reply->text == "seen");
    CHECK(studio.model->requests.at(1).messages.back()->text == "The key is [redacted].");
    for (const storage::Record& record : studio.records(id)) CHECK(record.body.find("sesame") == std::string::npos);
}

TEST_CASE("who watches hears how far a call is, not oftener than people can read")
{
    Studio studio;
    studio.registry.add(std::make_shared<Slow>());
    studio.team = team_of({"slow"});
    studio.model->answer = [](const llm::Request& request) { return request.nth == 1 ? calls("slow") : says("seen"); };
    const Id id = studio.look();
    std::vector<std::string> heard;
    std::string text;
    const auto watching = studio.wait(studio.commands->watch(kAnn, id, 0));
    const auto watch = [&]() -> Async<> {
        while (const auto seen = co_await watching->next())
            if (const auto* chunk = std::get_if<model::StreamChunk>(&*seen)) {
                if (chunk->progress) heard.push_back(*chunk->progress);
                text += chunk->text;
            }
    };
    studio.wait(watch());
    CHECK(heard.size() == 15);
    CHECK(heard.at(0) == "1 of 30");
    CHECK(heard.at(1) == "3 of 30");
    CHECK(text == "seen");
}
