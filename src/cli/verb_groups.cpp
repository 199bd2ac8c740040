#include "cli/verb_groups.hpp"

namespace cadre::cli {

std::span<const VerbGroup> verb_groups()
{
    static const std::vector<VerbGroup> groups{
        {"Start", {"demo", "init", "trust", "doctor"}},
        {"Run a task", {"run", "chat", "ask", "route", "message", "sessions", "serve", "dev", "token"}},
        {"See what tasks do", {"tasks", "show", "tail", "trace", "graph", "artifacts", "checkpoints", "logs"}},
        {"Answer what they ask", {"inbox", "approve", "reject", "answer"}},
        {"Stop, change and resume them", {"resume", "pause", "cancel", "intervene", "step", "continue", "breakpoints"}},
        {"Run one again, compare, carry it elsewhere", {"fork", "diff", "replay", "export", "import"}},
        {"Write and test a project",
         {"check", "test", "guardrails", "router", "embeddings", "models", "mcp", "schema", "mock-llm", "mock-mcp",
          "mock-channels"}},
        {"Look after the home folder", {"channels", "memory", "backup", "gc", "rebuild", "verify"}},
        {"About this program", {"help", "version", "completion"}},
    };
    return groups;
}

}  // namespace cadre::cli
