// A model that is a function of the program around us.
#pragma once

#include "cadre/engine.hpp"
#include "llm/model.hpp"

#include <functional>
#include <string>

namespace cadre {
class Pool;
}

namespace cadre::library {

/// The pool outlives it.
class FunctionModel final : public llm::Model {
public:
    using Function = std::function<Reply(const Request&)>;

    FunctionModel(Pool& pool, Function function) : pool_(pool), function_(std::move(function)) {}

    std::string spec() const override { return "function"; }
    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink& sink) override;

private:
    Pool& pool_;
    Function function_;
};

}  // namespace cadre::library
