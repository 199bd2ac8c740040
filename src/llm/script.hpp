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
    Async<Completion> complete(Request request, ChunkSink& sink) override;

    /// For those who play the entry their own way, over HTTP: it counts as used. Throws ModelError when none matches.
    ScriptTurn take(const Request& request);
    /// All entries, in their order.
    const std::vector<ScriptLine>& lines() const;

    /// A run that is resumed has used up entries before: the recorded request is matched again and its entry counted as used,
    /// so that what is left over is the same as without the interruption. Never fails.
    void already_answered(const Request& request) override;
    bool remembers() const override { return true; }

    /// What was never used although it should have been, a line each; empty when all is well.
    std::vector<std::string> left_over() const;

private:
    struct Impl;
    explicit ScriptModel(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre::llm
