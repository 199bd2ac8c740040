// Agents that are files: a project's agent with a tool of an MCP server, a tool of the program, and a model that follows a script.
//
// A project is a folder, as `cadre init` makes one: agents and teams, MCP servers, providers. Its files are written here, so that all
// of the example is in one place; `cadre mock-mcp` is a server with tools for trying things out.
#include <cadre/engine.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace {

void write(const std::filesystem::path& file, const char* text)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

void write_project()
{
    write("shop/cadre.yaml", "name: shop\nmodel: script:answers.yaml\n");
    write("shop/agents/clerk.yaml", R"(
name: clerk
role: Adds up what customers buy.
prompt: You add up, and say what it costs.
tools: [numbers.add]
)");
    write("shop/config/mcp_servers.yaml", R"(
servers:
  - name: numbers
    transport: stdio
    config: {command: cadre, args: [mock-mcp]}
)");
    write("shop/answers.yaml", R"(
- tool_calls: [{name: add, arguments: {a: 20, b: 22}}]
- when: {after_tool: true}
  tool_calls: [{name: in_words, arguments: {number: 42}}]
- when: {after_tool: true}
  text: That makes forty-two.
)");
}

}  // namespace

int main()
{
    write_project();
    cadre::Engine engine({.project = "shop"});
    engine.tool("in_words", "A number in words.", {"number"}, [](int n) { return n == 42 ? "forty-two" : "many"; });

    const cadre::Task task = engine.start("clerk", "Tea for 20 and cake for 22.", {.tools = {"in_words"}});
    for (const cadre::Event& event : task.events())
        if (event.kind == cadre::EventKind::tool_result)
            std::printf("%s: %s\n", event.tool.c_str(), event.text.c_str());
    const cadre::Outcome outcome = task.wait();
    std::printf("%s: %s\n", name_of(outcome.status).data(), outcome.text.c_str());
}
