// A model that is a function of the program around us.
#pragma once

#include "cadre/model.hpp"
#include "llm/model.hpp"

#include <string>
#include <utility>

namespace cadre {
class Loop;
class Pool;
}  // namespace cadre

namespace cadre::library {

/// Loop and pool outlive it.
class FunctionModel final : public llm::Model {
public:
    FunctionModel(Loop& loop, Pool& pool, std::string name, cadre::Model function)
        : loop_(loop), pool_(pool), name_(std::move(name)), function_(std::move(function))
    {}

    std::string spec() const override { return "function/" + name_; }
    Async<llm::Completion> complete(llm::Request request, llm::ChunkSink& sink) override;

private:
    Loop& loop_;
    Pool& pool_;
    std::string name_;
    cadre::Model function_;
};

}  // namespace cadre::library
