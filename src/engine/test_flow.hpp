// Flows for tests and the simulator: parts with the policies of joins that workflows have.
#pragma once

#include "base/error.hpp"
#include "engine/flow.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cadre::engine::testing {

enum class Policy : std::uint8_t {
    all,     // when all have settled, with those that are done; skipped when none is
    enough,  // when `enough` are done; a failure when so many cannot be any more
};

struct FlowPart {
    std::string name{};
    std::vector<std::size_t> inputs{};
    Policy policy = Policy::all;
    std::size_t enough = 1;
    bool tolerated = false;  // its failure is a value
};

class TestFlow final : public Flow {
public:
    explicit TestFlow(std::vector<FlowPart> parts) : parts_(std::move(parts)) {}

    const std::vector<FlowPart>& parts() const { return parts_; }
    std::size_t size() const override { return parts_.size(); }
    const std::string& name(std::size_t part) const override { return parts_[part].name; }
    std::span<const std::size_t> inputs(std::size_t part) const override { return parts_[part].inputs; }
    bool by_time(std::size_t part) const override { return parts_[part].policy == Policy::enough; }
    bool tolerates(std::size_t part) const override { return parts_[part].tolerated; }

    Entry enter(std::size_t part, std::span<const Fate> fates) const override
    {
        const FlowPart& it = parts_[part];
        Entry entry;
        std::size_t possible = 0;
        for (const std::size_t input : it.inputs) {
            possible += fates[input] == Fate::done || !has_settled(fates[input]);
            if (fates[input] == Fate::done) entry.counted.push_back(input);
        }
        if (it.policy == Policy::all) {
            entry.what = entry.counted.empty() && !it.inputs.empty() ? Entry::What::skip : Entry::What::go;
            return entry;
        }
        if (possible < it.enough)
            throw Error(Code::upstream, "quorum " + std::to_string(it.enough) + " of " +
                                            std::to_string(it.inputs.size()) + " not reached at '" + it.name + "'");
        if (entry.counted.size() < it.enough) return {};
        entry.counted.resize(it.enough);
        entry.what = Entry::What::go;
        return entry;
    }

private:
    std::vector<FlowPart> parts_;
};

}  // namespace cadre::engine::testing
