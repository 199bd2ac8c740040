// For tests: a tool called as the engine calls it, and a folder to call it in.
#pragma once

#include "base/async.hpp"
#include "base/json.hpp"
#include "base/pool.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <unistd.h>

namespace cadre::tools {

class TestContext final : public ToolContext {
public:
    explicit TestContext(Pool& pool) : pool_(pool) {}
    void progress(std::string_view) noexcept override {}
    void log(Level, std::string_view) noexcept override {}
    Pool& pool() override { return pool_; }
    Async<model::HumanAnswer> ask(model::HumanRequestType, boost::json::object) override
    {
        throw Error(Code::forbidden, "nobody can be asked here");
    }
    Async<Sample> sample(SampleRequest) override { throw Error(Code::forbidden, "no model can be asked here"); }
    Async<Result> remember(json::object) override { throw Error(Code::invalid, "there is no memory here"); }
    Async<Result> recall(json::object) override { throw Error(Code::invalid, "there is no memory here"); }

private:
    Pool& pool_;
};

inline Result call(Tool& tool, json::object arguments, const std::filesystem::path& workspace = {},
                   std::string key = "key")
{
    SimLoop loop;
    LoopPool pool(loop);
    TestContext context(pool);
    Call request{.id = "tc_1", .arguments = std::move(arguments), .key = std::move(key), .workspace = workspace};
    return run(loop, tool.call(std::move(request), context));
}

/// A new folder with a workspace and what lies outside of it; gone at the end.
class TestFolder {
public:
    TestFolder()
    {
        std::string name = std::filesystem::temp_directory_path() / "cadre_tools_XXXXXX";
        root_ = ::mkdtemp(name.data());
        std::filesystem::create_directories(workspace());
        std::filesystem::create_directories(outside());
    }
    ~TestFolder() { std::filesystem::remove_all(root_); }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;

    std::filesystem::path workspace() const { return root_ / "artifacts"; }
    std::filesystem::path outside() const { return root_ / "outside"; }

private:
    std::filesystem::path root_;
};

inline void put(const std::filesystem::path& file, std::string_view text)
{
    std::ofstream(file, std::ios::binary) << text;
}

inline std::string content_of(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace cadre::tools
