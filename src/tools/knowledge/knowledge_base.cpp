#include "tools/knowledge/knowledge_base.hpp"

#include "base/error.hpp"
#include "base/plural.hpp"
#include "storage/files.hpp"
#include "text/encoder.hpp"
#include "tools/fetch/page_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

namespace cadre::tools {
namespace {

namespace fs = std::filesystem;
using text::Passage;

/// Passages that get their vectors at one search: a second or so.
constexpr std::size_t kVectorsAtOnce = 256;
/// Less has nothing to do with the question.
constexpr double kThreshold = 0.05;
/// Of one file, among the best: the others have something to say, too.
constexpr std::size_t kMostOfOneFile = 3;

std::vector<Passage> pages_of(std::string_view text, const std::string& path)
{
    std::vector<Passage> all;
    for (std::size_t page = 1; !text.empty(); ++page) {
        const std::size_t end = std::min(text.find('\f'), text.size());
        for (Passage& passage : text::split_document(text.substr(0, end), path, false)) {
            passage.line = 0;
            passage.heading = fmt::format("page {}", page);
            all.push_back(std::move(passage));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

std::vector<Passage> passages_of(const KnowledgeFile& file, const std::string& content, std::size_t most)
{
    if (file.kind != KnowledgeKind::html)
        return text::split_document(content, file.path, file.kind == KnowledgeKind::markdown);
    const auto page = page_text(content, "text/html", "", false, most);
    auto passages = text::split_document(page ? page->text : "", file.path, true);
    for (Passage& passage : passages) passage.line = 0;  // those of the Markdown are nobody's
    return passages;
}

std::string searched(const Passage& passage)
{
    return passage.heading.empty() ? passage.text : fmt::format("{}\n{}", passage.heading, passage.text);
}

}  // namespace

KnowledgeBase::KnowledgeBase(fs::path root, std::vector<std::string> paths, fs::path cache, KnowledgeLimits limits)
    : root_(std::move(root)), cache_(std::move(cache)), paths_(std::move(paths)), limits_(limits)
{}

std::vector<KnowledgeBase::Pdf> KnowledgeBase::refresh(bool can_read_pdf)
{
    const std::lock_guard lock(mutex_);
    KnowledgeFiles now = find_knowledge(root_, paths_, can_read_pdf, limits_);
    left_out_ = std::move(now.left_out);
    std::set<std::string> there;
    for (const KnowledgeFile& file : now.files) there.insert(file.path);
    std::vector<std::string> gone;
    for (const auto& [path, document] : documents_)
        if (!there.contains(path)) gone.push_back(path);
    for (const std::string& path : gone) erase(path);

    std::vector<Pdf> pdfs;
    for (const KnowledgeFile& file : now.files) {
        const auto known = documents_.find(file.path);
        if (known != documents_.end() && known->second.file == file) continue;
        try {
            std::string content = read_knowledge(root_, file, limits_);
            const Digest hash = digest_of(content);
            if (known != documents_.end() && known->second.hash == hash) {
                known->second.file = file;
                continue;
            }
            if (file.kind != KnowledgeKind::pdf) {
                put(file, hash, passages_of(file, content, limits_.file_bytes));
                continue;
            }
            const auto kept = storage::find_file(cache_ / (to_hex(hash) + ".txt"));
            if (kept) put(file, hash, pages_of(*kept, file.path));
            else pdfs.push_back({file, std::move(content), hash});
        } catch (const Error& error) {  // gone since, or nobody's to read
            erase(file.path);
            left_out_.push_back(fmt::format("{}: {}", file.path, error.what()));
        }
    }
    return pdfs;
}

void KnowledgeBase::take_pdf(const Pdf& pdf, std::string_view text)
{
    const std::lock_guard lock(mutex_);
    storage::make_private_folder(cache_);
    storage::write_private_file(cache_ / (to_hex(pdf.hash) + ".txt"), text);
    put(pdf.file, pdf.hash, pages_of(text, pdf.file.path));
}

void KnowledgeBase::put(const KnowledgeFile& file, const Digest& hash, std::vector<Passage> passages)
{
    erase(file.path);
    if (passages_.empty() && !passages.empty())
        index_ = text::search::Index(text::search::guess_language(passages.front().text));
    Document document{.file = file, .hash = hash};
    for (Passage& passage : passages) {
        if (passages_.size() >= limits_.passages) {
            ++beyond_;
            continue;
        }
        const text::search::Key key = next_++;
        index_.put(key, searched(passage));
        passages_.emplace(key, std::move(passage));
        document.keys.push_back(key);
    }
    documents_.insert_or_assign(file.path, std::move(document));
}

void KnowledgeBase::erase(const std::string& path)
{
    const auto known = documents_.find(path);
    if (known == documents_.end()) return;
    for (const text::search::Key key : known->second.keys) {
        index_.erase(key);
        passages_.erase(key);
    }
    documents_.erase(known);
}

/// Vectors of a document that were made before, of the same text by the same encoder.
bool KnowledgeBase::read_vectors(Document& document, const std::string& encoder)
{
    const auto kept = storage::find_file(cache_ / fmt::format("{}.{}.vectors", to_hex(document.hash), encoder));
    if (!kept || kept->empty() || document.keys.empty() || kept->size() % (document.keys.size() * sizeof(float)) != 0)
        return false;
    const std::size_t size = kept->size() / document.keys.size();
    std::vector<float> vector(size / sizeof(float));
    for (std::size_t i = 0; i < document.keys.size(); ++i) {
        std::memcpy(vector.data(), kept->data() + i * size, size);
        index_.put(document.keys[i], searched(passages_.at(document.keys[i])), vector);
    }
    return true;
}

void KnowledgeBase::add_vectors(const text::Encoder& encoder)
{
    static_assert(std::endian::native == std::endian::little);  // the kept vectors are
    const std::string id = to_hex(digest_of(encoder.id())).substr(0, 16);
    std::size_t made = 0;
    for (auto& [path, document] : documents_) {
        if (document.has_vectors || document.keys.empty()) continue;
        if (!read_vectors(document, id)) {
            if (made > 0 && made + document.keys.size() > kVectorsAtOnce) continue;
            if (document.keys.size() > 4 * kVectorsAtOnce) continue;  // a file so long is found by its words
            std::vector<std::string> texts;
            for (const text::search::Key key : document.keys) texts.push_back(searched(passages_.at(key)));
            const std::vector<std::string_view> views(texts.begin(), texts.end());
            const auto vectors = encoder.encode(views);
            std::string kept;
            for (std::size_t i = 0; i < vectors.size(); ++i) {
                index_.put(document.keys[i], texts[i], vectors[i]);
                kept.append(reinterpret_cast<const char*>(vectors[i].data()), vectors[i].size() * sizeof(float));
            }
            made += document.keys.size();
            storage::make_private_folder(cache_);
            storage::write_private_file(cache_ / fmt::format("{}.{}.vectors", to_hex(document.hash), id), kept);
        }
        document.has_vectors = true;
    }
}

KnowledgeBase::Found KnowledgeBase::find(std::string_view query, std::size_t limit, const text::Encoder* encoder)
{
    const std::lock_guard lock(mutex_);
    Found found{.files = documents_.size(), .of = passages_.size(), .left_out = left_out_};
    if (beyond_ > 0)
        found.left_out.push_back(fmt::format("{} beyond the first {}", plural(beyond_, "passage"), limits_.passages));
    std::vector<float> vector;
    if (encoder) {
        add_vectors(*encoder);
        vector = encoder->encode(std::vector{query}).front();
    }
    const auto hits = index_.find(query, vector, {.limit = 4 * limit, .threshold = kThreshold});
    std::map<std::string, std::size_t> of_file;
    for (const auto& hit : hits) {
        if (found.passages.size() == limit) break;
        const Passage& passage = passages_.at(hit.key);
        if (++of_file[passage.source] <= kMostOfOneFile) found.passages.push_back(passage);
    }
    return found;
}

}  // namespace cadre::tools
