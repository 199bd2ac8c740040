#include "text/route/classifier.hpp"

#include "text/embed/kernels.hpp"
#include "text/encoder.hpp"
#include "text/route/fitting.hpp"
#include "text/route/neighbours.hpp"
#include "text/route/softmax_head.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cadre::text::route {
namespace {

// kinds of evidence
constexpr std::size_t kWordHead = 0, kWordNeighbours = 1, kMeaningHead = 2, kMeaningNeighbours = 3;

/// What the evidence counts for until examples that were put aside say otherwise.
constexpr Weights kUsualWeights{0.5, 1, 0.9, 4};
constexpr Weights kUsualWordWeights{1.2, 14, 0, 0};
/// Facts for being in scope: 1, word neighbours, meaning neighbours, a tenth of the best score.
constexpr Weights kUsualScope{-5, 3, 3, 3};
constexpr Weights kUsualWordScope{-2, 14, 0, 0.5};

constexpr int kFolds = 5;
constexpr float kFewExamples = 20;
/// Of examples that were put aside, to find a few numbers by.
constexpr std::size_t kEnoughCases = 700;

struct Heads {
    SoftmaxHead words;
    std::optional<DenseHead> meaning{};
};

std::string spoken(std::string_view name)
{
    std::string words(name);
    for (char& c : words)
        if (c == '_' || c == '-' || c == '.') c = ' ';
    return words;
}

/// A few examples are looked at often, many seldom: about as many steps in all.
int rounds_for(std::size_t examples, std::size_t steps)
{
    return static_cast<int>(std::clamp<std::size_t>(steps / (examples + 1), 5, 60));
}

}  // namespace

class Classifier::Impl {
public:
    Impl(std::span<const Entry> entries, std::shared_ptr<const Encoder> encoder)
        : encoder_(std::move(encoder)), classes_(entries.size()), lexicon_((collect(entries), texts_))
    {
        for (const std::string& text : texts_) words_.push_back(lexicon_.vector_of(text));
        postings_.emplace(words_, lexicon_.size());
        if (encoder_) encode_examples();
        calibrate();
        heads_.emplace(trained(kNoFold));
    }

    std::vector<Verdict> classify(std::span<const std::string_view> texts, std::size_t standings) const
    {
        std::vector<std::vector<float>> vectors;
        if (encoder_) vectors = encoder_->encode(texts);
        for (auto& vector : vectors) centre(vector);
        std::vector<Verdict> verdicts;
        for (std::size_t i = 0; i < texts.size(); ++i)
            verdicts.push_back(
                judge(texts[i], encoder_ ? std::span<const float>(vectors[i]) : std::span<const float>(), standings));
        return verdicts;
    }

    std::string encoder() const { return encoder_ ? encoder_->id() : "words"; }
    bool has_encoder() const { return encoder_ != nullptr; }

private:
    struct Seen {
        Evidence evidence{};
        std::size_t nearest = 0;
        float likeness = 0;  // of the nearest
    };

    void collect(std::span<const Entry> entries)
    {
        for (std::uint32_t label = 0; label < entries.size(); ++label) {
            const Entry& entry = entries[label];
            const bool can_spare = entry.examples.size() >= 3;
            for (std::size_t i = 0; i < entry.examples.size(); ++i)
                add(entry.examples[i], {label, can_spare ? static_cast<int>(i % kFolds) : kNoFold, 1});
            add(spoken(entry.name), {label, kNoFold, 1});
            if (!entry.description.empty()) add(entry.description, {label, kNoFold, 0.5F});
        }
    }

    void add(std::string text, Example example)
    {
        texts_.push_back(std::move(text));
        examples_.push_back(example);
    }

    void encode_examples()
    {
        const std::vector<std::string_view> views(texts_.begin(), texts_.end());
        for (const auto& vector : encoder_->encode(views)) {
            dimensions_ = vector.size();
            vectors_.insert(vectors_.end(), vector.begin(), vector.end());
        }
        centre_examples();
    }

    /// What all examples share says nothing about which one is meant; of a few examples not much is known to be shared.
    void centre_examples()
    {
        const float count = static_cast<float>(examples_.size());
        shared_.assign(dimensions_, 0);
        for (std::size_t i = 0; i < examples_.size(); ++i)
            embed::kernels().add_scaled(shared_.data(), 1 / (count + kFewExamples), vector(i).data(), dimensions_);
        for (std::size_t at = 0; at < vectors_.size(); at += dimensions_)
            centre(std::span(vectors_).subspan(at, dimensions_));
    }

    void centre(std::span<float> vector) const
    {
        const auto& kernels = embed::kernels();
        kernels.add_scaled(vector.data(), -1, shared_.data(), dimensions_);
        const float length = std::sqrt(kernels.dot(vector.data(), vector.data(), dimensions_));
        for (float& value : vector) value /= std::max(length, 1e-6F);
    }

    std::span<const float> vector(std::size_t example) const
    {
        return std::span(vectors_).subspan(example * dimensions_, dimensions_);
    }

    Heads trained(int without) const
    {
        Heads heads{SoftmaxHead(lexicon_.size(), classes_)};
        std::vector<Labelled> words;
        std::vector<DenseHead::Labelled> meanings;
        for (std::size_t i = 0; i < examples_.size(); ++i) {
            const auto& [label, fold, weight] = examples_[i];
            if (without != kNoFold && fold == without) continue;
            words.push_back({&words_[i], label, weight});
            if (encoder_) meanings.push_back({vector(i).data(), label, weight});
        }
        heads.words.train(words, {.rounds = rounds_for(words.size(), 12000), .rate = 3});
        if (encoder_) {
            heads.meaning.emplace(dimensions_, classes_);
            heads.meaning->train(meanings, {.rounds = rounds_for(words.size(), 30000), .rate = 4});
        }
        return heads;
    }

    Seen look(const Sparse& words, std::span<const float> meaning, const Heads& heads, int without) const
    {
        Seen seen{.evidence = {std::vector<float>(kKinds * classes_), classes_}};
        const auto scores_of = [&](std::size_t kind) {
            return std::span(seen.evidence.scores).subspan(kind * classes_, classes_);
        };
        std::vector<float> scores(heads.words.width());
        heads.words.add_scores(words, scores);
        std::copy_n(scores.begin(), classes_, scores_of(kWordHead).begin());
        const auto take = [&](std::size_t kind, const auto& likeness) {
            NearestThree nearest(classes_);
            for (std::size_t i = 0; i < examples_.size(); ++i) {
                if (without != kNoFold && examples_[i].fold == without) continue;
                const float value = likeness(i);
                nearest.add(examples_[i].label, value);
                if (value > seen.likeness) seen.likeness = value, seen.nearest = i;
            }
            nearest.write(scores_of(kind));
        };
        const auto shared = postings_->likeness(words);
        take(kWordNeighbours, [&](std::size_t i) { return shared[i]; });
        if (meaning.empty()) return seen;
        heads.meaning->write_scores(meaning.data(), scores_of(kMeaningHead));
        seen.likeness = 0;
        take(kMeaningNeighbours,
             [&](std::size_t i) { return embed::kernels().dot(meaning.data(), vector(i).data(), dimensions_); });
        return seen;
    }

    /// What says whether a request belongs to any class, the best one, but for `without`, being that one.
    Weights scope_facts(const Evidence& evidence, std::size_t without = kNoClass) const
    {
        std::size_t best = without == 0 ? 1 : 0;
        for (std::size_t c = best; c < classes_; ++c)
            if (c != without && score(evidence, weights_, c) > score(evidence, weights_, best)) best = c;
        return {1, evidence.at(kWordNeighbours, best), evidence.at(kMeaningNeighbours, best),
                score(evidence, weights_, best) / 10};
    }

    /// On examples that were put aside. A request that belongs nowhere is one whose own class is left out.
    void calibrate()
    {
        weights_ = encoder_ ? kUsualWeights : kUsualWordWeights;
        scope_ = encoder_ ? kUsualScope : kUsualWordScope;
        if (classes_ == 0) return;
        std::vector<Judged> cases;
        for (int fold = 0; fold < kFolds && cases.size() < kEnoughCases; ++fold) {
            const auto is_aside = [&](const Example& example) { return example.fold == fold; };
            if (std::ranges::none_of(examples_, is_aside)) break;
            const Heads heads = trained(fold);
            for (std::size_t i = 0; i < examples_.size() && cases.size() < 4 * kEnoughCases; ++i)
                if (is_aside(examples_[i]))
                    cases.push_back(
                        {look(words_[i], encoder_ ? vector(i) : std::span<const float>(), heads, fold).evidence,
                         examples_[i].label});
        }
        weights_ = fit_weights(cases, weights_);
        if (classes_ < 2) return;
        std::vector<YesOrNo> scopes;
        for (const Judged& judged : cases) {
            const double sure = probabilities(judged.evidence, weights_)[judged.label];
            scopes.push_back({scope_facts(judged.evidence), true});
            scopes.push_back({scope_facts(judged.evidence, judged.label), false, 0.5 * sure});
        }
        scope_ = fit_yes_or_no(scopes, scope_);
    }

    Verdict judge(std::string_view text, std::span<const float> meaning, std::size_t standings) const
    {
        Verdict verdict;
        if (classes_ == 0) return verdict;
        const Seen seen = look(lexicon_.vector_of(text), meaning, *heads_, kNoFold);
        const auto p = probabilities(seen.evidence, weights_);
        std::vector<std::size_t> order(classes_);
        for (std::size_t c = 0; c < classes_; ++c) order[c] = c;
        const std::size_t kept = std::min(classes_, std::max<std::size_t>(standings, 1));
        std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(kept), std::greater<>(),
                                  [&](std::size_t c) { return p[c]; });
        for (std::size_t i = 0; i < kept; ++i) verdict.best.push_back({order[i], p[order[i]]});
        verdict.in_scope = seen.likeness > 0 ? likelihood(scope_facts(seen.evidence), scope_) : 0;
        verdict.confidence = verdict.best.front().probability;
        if (seen.likeness > 0) verdict.nearest = texts_[seen.nearest];
        return verdict;
    }

    std::shared_ptr<const Encoder> encoder_;
    std::size_t classes_;
    std::vector<std::string> texts_{};
    std::vector<Example> examples_{};
    Lexicon lexicon_;
    std::vector<Sparse> words_{};
    std::optional<Postings> postings_{};
    std::size_t dimensions_ = 0;
    std::vector<float> vectors_{};
    std::vector<float> shared_{};  // the mean of the vectors
    Weights weights_{};
    Weights scope_{};
    std::optional<Heads> heads_{};
};

Classifier::Classifier(std::span<const Entry> entries, std::shared_ptr<const Encoder> encoder)
    : impl_(std::make_unique<const Impl>(entries, std::move(encoder)))
{}
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;
Classifier::~Classifier() = default;

Verdict Classifier::classify(std::string_view text, std::size_t standings) const
{
    return std::move(classify(std::span(&text, 1), standings).front());
}

std::vector<Verdict> Classifier::classify(std::span<const std::string_view> texts, std::size_t standings) const
{
    return impl_->classify(texts, standings);
}

std::string Classifier::encoder() const
{
    return impl_->encoder();
}

bool Classifier::has_encoder() const
{
    return impl_->has_encoder();
}

}  // namespace cadre::text::route
