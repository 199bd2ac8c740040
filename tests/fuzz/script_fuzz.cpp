// Any text is a script or refused with a place; what a script answers is what it streamed, again and again the same.
#include "base/async.hpp"
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "expect.hpp"
#include "llm/script.hpp"

#include <string>
#include <vector>

using namespace cadre;

namespace {

struct Heard final : llm::ChunkSink {
    void chunk(std::string_view piece) noexcept override { text += piece; }
    std::string text;
};

std::string answer(llm::ScriptModel& model, int nth)
{
    const llm::Message message{.text = "What is 2+3?"};
    llm::Request request{.agent = nth % 2 == 0 ? "a" : "researcher",
                         .nth = nth,
                         .messages = {std::make_shared<const llm::Message>(message)}};
    SimLoop loop;
    Heard heard;
    try {
        const llm::Completion completion = run(loop, model.complete(std::move(request), heard));
        EXPECT(heard.text == completion.text);
        EXPECT(completion.usage.input >= 0 && completion.usage.output >= 0);
        return completion.text;
    } catch (const llm::ModelError& error) {
        EXPECT(error.transient() || error.code() == Code::invalid || error.code() == Code::upstream);
        return error.what();
    }
}

/// What it says to some requests, and what is left over.
std::vector<std::string> played(std::string_view text, const char* name)
{
    const auto model = llm::ScriptModel::from_text(text, name);
    std::vector<std::string> said;
    for (int nth = 1; nth <= 6; ++nth) said.push_back(answer(*model, nth));
    for (std::string& line : model->left_over()) said.push_back(std::move(line));
    return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    if (text.size() > 1 << 14) return 0;
    for (const char* name : {"s.yaml", "s.json"}) {
        try {
            EXPECT(played(text, name) == played(text, name));
        } catch (const Error& error) {
            EXPECT(error.code() == Code::malformed || error.code() == Code::invalid);
            EXPECT(std::string_view(error.what()).find(std::string(name) + ":") != std::string_view::npos);
        }
    }
    return 0;
}
