#include "server/documents.hpp"

#include "base/sha256.hpp"
#include "server/call.hpp"

#include <utility>

namespace cadre::server {
namespace {

/// Names may come from clients, like that of the host.
constexpr std::size_t kMostDocuments = 32;
constexpr std::size_t kTagDigits = 32;

}  // namespace

DocumentPtr Documents::get(const std::string& name, const std::function<std::string()>& make)
{
    if (const auto found = kept_.find(name); found != kept_.end()) return found->second;
    if (kept_.size() >= kMostDocuments) kept_.clear();
    std::string text = make();
    std::string etag = "\"" + to_hex(sha256(text)).substr(0, kTagDigits) + "\"";
    return kept_[name] = std::make_shared<const FixedDocument>(FixedDocument{std::move(text), std::move(etag)});
}

Async<> reply_document(Call& call, std::string type, DocumentPtr document)
{
    call.add_header("ETag", document->etag);
    call.add_header("Cache-Control", "no-cache");
    co_await call.reply_text(std::move(type), document->text);
}

}  // namespace cadre::server
