// Models of a vendor: an agent that speaks with OpenAI's gpt-5-mini, uses a tool, and may spend so much and no more.
//
// With a key of your own (OPENAI_API_KEY) that is all there is to it. So that the example runs without one, a stand-in serves the
// two answers of a script over HTTP as OpenAI does: `cadre mock-llm`. The engine cannot tell the difference.
#include <cadre/engine.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr const char* kScript = R"(
- tool_calls: [{name: add, arguments: {a: 20, b: 22}}]
  usage: {input: 180, output: 22}
- when: {after_tool: true}
  text: It is 42.
  usage: {input: 220, output: 10}
)";

/// `cadre mock-llm` while this lives; the engine finds it as it finds everyone, by the vendor's variables.
class StandIn {
public:
    StandIn()
    {
        std::ofstream("answers.yaml") << kScript;
        int ends[2];
        if (::pipe(ends) != 0) std::abort();
        if ((process_ = ::fork()) == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::execlp("cadre", "cadre", "mock-llm", "--quiet", "--script", "answers.yaml", nullptr);
            std::_Exit(127);
        }
        ::close(ends[1]);
        std::FILE* said = ::fdopen(ends[0], "r");
        char address[64] = "";  // mock-llm listens on http://127.0.0.1:40123 with …
        if (std::fscanf(said, "mock-llm listens on %63s", address) != 1) std::abort();
        std::fclose(said);
        ::setenv("OPENAI_BASE_URL", (std::string(address) + "/v1").c_str(), 1);
        ::setenv("OPENAI_API_KEY", "any key will do", 1);
    }
    ~StandIn()
    {
        ::kill(process_, SIGINT);
        ::waitpid(process_, nullptr, 0);
    }

private:
    pid_t process_ = -1;
};

}  // namespace

int main()
{
    const StandIn vendor;

    cadre::Engine engine({.model = "openai/gpt-5-mini"});
    engine.tool("add", "Adds two numbers.", {"a", "b"}, [](int a, int b) { return a + b; });

    const cadre::Agent clerk{.name = "clerk", .tools = {"add"}};
    const cadre::Outcome outcome = engine.run(clerk, "What is 20 + 22?", {.dollars = 0.05});
    std::printf("%s: %s\n", name_of(outcome.status).data(), outcome.text.c_str());
    std::printf("%d model calls, %lld tokens read, %lld written, $%.6f\n", outcome.usage.model_calls,
                outcome.usage.input_tokens, outcome.usage.output_tokens, outcome.usage.dollars);
}
