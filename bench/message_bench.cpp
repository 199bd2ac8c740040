// What does it cost to render a large answer for each channel? Aim: 1 MB of Markdown in less than 50 ms.
#include "text/channel/markdown.hpp"
#include "text/channel/render.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <string>

using namespace cadre;

namespace {

double cpu_ms()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

template <class F>
double best_of(const F& work)
{
    double best = 1e9;
    for (int i = 0; i < 7; ++i) {
        const double start = cpu_ms();
        work();
        best = std::min(best, cpu_ms() - start);
    }
    return best;
}

std::string megabyte()
{
    const std::string part = "## What you logged\n\nYou've logged **32** of 40 hours, which is 80 %. It's _fine_; see "
                             "[the sheet](https://t.example/me).\n\n"
                             "- Monday: 8 hours\n- Tuesday: `8` hours\n\n| Day | Hours |\n|---|---|\n| Mon | 8 |\n| "
                             "Tue | 8 |\n\nThat is all. Write to us!\n\n";
    std::string text;
    while (text.size() < 1'000'000) text += part;
    return text;
}

}  // namespace

int main()
{
    const std::string text = megabyte();
    fmt::print("1 MB of Markdown, CPU ms (aim: < 50)\n");
    fmt::print("  {:10} {:6.1f}\n", "read", best_of([&] { text::read_markdown(text); }));
    using enum text::ChannelKind;
    const struct {
        const char* name;
        text::ChannelRules rules;
    } channels[] = {
        {"sms", {.channel = sms, .max_length = 1600}},
        {"whatsapp",
         {.channel = whatsapp, .max_length = 4096, .markdown = {.bold = true, .italic = true, .code = true}}},
        {"email", {.channel = email, .markdown = {true, true, true, true, true, true}}},
        {"teams", {.channel = teams, .markdown = {.bold = true, .italic = true, .links = true}}},
    };
    for (const auto& [name, rules] : channels) {
        std::size_t pieces = 0;
        const double ms = best_of([&] { pieces = text::render(text, rules).pieces.size(); });
        fmt::print("  {:10} {:6.1f}   {} pieces\n", name, ms, pieces);
    }
}
