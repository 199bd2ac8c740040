// The scripted model: `script:FILE`, for tests and demos. Strict in both directions: a request that no entry matches fails
// and shows the nearest entry and the first difference; entries that were never used fail the command, not the task.
#pragma once

#include "llm/model.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm {

/// One entry of a script, ready to answer. The format is in docs/guide/scripted-models.md.
struct ScriptLine;

/// The entry that answers a request, and what it answers.
struct ScriptTurn {
    const ScriptLine& line;  // lives as long as the model
    Completion completion{};
    std::string place{};  // `hello.yaml:3`
};

class ScriptModel final : public Model {
public:
    /// Reads a YAML (or JSON) list of entries; `name` stands in messages. Throws Error(malformed or invalid) with
    /// `name:line:column` and all problems.
    static std::shared_ptr<ScriptModel> from_text(std::string_view text, std::string name);
    static std::shared_ptr<ScriptModel> from_file(const std::filesystem::path& file);
    ~ScriptModel() override;

    std::string spec() const override;
    bool can_sum_up() const override { return false; }
    /// Entries that a task has used up in another process are known from the request (EarlierCall), so that a run that is resumed
    /// is answered as one that was not interrupted.
    Async<Completion> complete(Request request, ChunkSink& sink) override;

    /// For those who play the entry their own way, over HTTP: it counts as used. Throws ModelError when none matches.
    ScriptTurn take(const Request& request);
    /// All entries, in their order.
    const std::vector<ScriptLine>& lines() const;

    /// What was never used although it should have been, a line each; empty when all is well. Without any request nothing is known:
    /// a task that is resumed may have used everything before, and need no more.
    std::vector<std::string> left_over() const;

private:
    struct Impl;
    explicit ScriptModel(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::llm
