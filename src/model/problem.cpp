#include "model/problem.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"

namespace cadre::model {

std::string Path::text() const
{
    if (!parent_) return {};
    std::string text = parent_->text();
    if (is_index_) return text + '[' + std::to_string(index_) + ']';
    if (!text.empty()) text += '.';
    return text.append(name_);
}

void Problems::add(const Path& path, std::string text)
{
    add(path.text(), std::move(text));
}

void Problems::add(std::string path, std::string text)
{
    if (list_.size() < kMaxProblems) list_.push_back({std::move(path), std::move(text)});
    else ++left_out_;
}

std::string Problems::suggestion(std::string_view word, std::span<const std::string> candidates) const
{
    if (list_.size() >= kMaxProblems) return {};
    const auto near = nearest(word, candidates);
    return near ? ", did you mean \"" + *near + "\"?" : std::string();
}

std::string Problems::text() const
{
    std::string text;
    for (const Problem& problem : list_) text += (text.empty() ? "" : "\n") + problem.line();
    if (left_out_ > 0) text += "\nand " + std::to_string(left_out_) + " more";
    return text;
}

void Problems::raise() const
{
    if (!empty()) throw Error(Code::invalid, text());
}

}  // namespace cadre::model
