// Files as passages that can be searched: by their words, and by their meaning where there is an encoder. Kept up with the files.
#pragma once

#include "base/sha256.hpp"
#include "text/passages/passages.hpp"
#include "text/search/index.hpp"
#include "tools/knowledge/knowledge_files.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {
class Encoder;
}

namespace cadre::tools {

/// From any thread; calls wait for each other.
class KnowledgeBase {
public:
    /// `cache`: a folder of our own, for what is dear to make again, by the hash of what it was made from.
    KnowledgeBase(std::filesystem::path root, std::vector<std::string> paths, std::filesystem::path cache,
                  KnowledgeLimits limits = {});

    struct Pdf {
        KnowledgeFile file{};
        std::string content{};
        Digest hash{};
    };
    /// Takes in what is new or has changed, and forgets what is gone. Returns the PDF files whose text nobody has made yet.
    std::vector<Pdf> refresh(bool can_read_pdf);
    /// The text of such a file, its pages behind each other with form feeds; empty: it has none.
    void take_pdf(const Pdf& pdf, std::string_view text);

    struct Found {
        std::vector<text::Passage> passages{};  // the best first
        std::size_t files = 0, of = 0;          // files and passages that were searched
        std::vector<std::string> left_out{};
    };
    /// `encoder`: null where words decide. Of passages without a vector a few hundred get one at each search: the rest are found by words.
    Found find(std::string_view query, std::size_t limit, const text::Encoder* encoder);

private:
    struct Document {
        KnowledgeFile file{};
        Digest hash{};
        std::vector<text::search::Key> keys{};
        bool has_vectors = false;
    };

    void put(const KnowledgeFile& file, const Digest& hash, std::vector<text::Passage> passages);
    void erase(const std::string& path);
    void add_vectors(const text::Encoder& encoder);
    bool read_vectors(Document& document, const std::string& encoder);

    std::filesystem::path root_, cache_;
    std::vector<std::string> paths_;
    KnowledgeLimits limits_;
    std::mutex mutex_{};
    std::map<std::string, Document> documents_{};
    std::map<text::search::Key, text::Passage> passages_{};
    text::search::Index index_{};  // of the language that the first files are in
    text::search::Key next_ = 1;
    std::size_t beyond_ = 0;  // passages that had no room
    std::vector<std::string> left_out_{};
};

}  // namespace cadre::tools
