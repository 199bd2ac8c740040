#include "artifacts/media_type.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>

namespace cadre::artifacts {

namespace {

struct Known {
    std::string_view ending;
    std::string_view type;
    std::string_view folder;
};

constexpr std::string_view kCode = "code", kDocuments = "documents", kMedia = "media", kData = "data";

constexpr std::array kKnown = {
    Known{"c", "text/x-c", kCode},
    Known{"cc", "text/x-c++", kCode},
    Known{"cpp", "text/x-c++", kCode},
    Known{"cs", "text/x-csharp", kCode},
    Known{"css", "text/css", kCode},
    Known{"go", "text/x-go", kCode},
    Known{"h", "text/x-c", kCode},
    Known{"hpp", "text/x-c++", kCode},
    Known{"html", "text/html", kDocuments},
    Known{"htm", "text/html", kDocuments},
    Known{"java", "text/x-java", kCode},
    Known{"js", "text/javascript", kCode},
    Known{"mjs", "text/javascript", kCode},
    Known{"kt", "text/x-kotlin", kCode},
    Known{"lua", "text/x-lua", kCode},
    Known{"php", "text/x-php", kCode},
    Known{"py", "text/x-python", kCode},
    Known{"rb", "text/x-ruby", kCode},
    Known{"rs", "text/x-rust", kCode},
    Known{"sh", "text/x-shellscript", kCode},
    Known{"sql", "application/sql", kCode},
    Known{"swift", "text/x-swift", kCode},
    Known{"ts", "text/x-typescript", kCode},
    Known{"tsx", "text/x-typescript", kCode},
    Known{"jsx", "text/javascript", kCode},
    Known{"diff", "text/x-diff", kCode},
    Known{"patch", "text/x-diff", kCode},
    Known{"md", "text/markdown", kDocuments},
    Known{"txt", "text/plain", kDocuments},
    Known{"log", "text/plain", kDocuments},
    Known{"tex", "text/x-tex", kDocuments},
    Known{"rst", "text/x-rst", kDocuments},
    Known{"pdf", "application/pdf", kDocuments},
    Known{"rtf", "application/rtf", kDocuments},
    Known{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", kDocuments},
    Known{"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation", kDocuments},
    Known{"odt", "application/vnd.oasis.opendocument.text", kDocuments},
    Known{"png", "image/png", kMedia},
    Known{"jpg", "image/jpeg", kMedia},
    Known{"jpeg", "image/jpeg", kMedia},
    Known{"gif", "image/gif", kMedia},
    Known{"webp", "image/webp", kMedia},
    Known{"svg", "image/svg+xml", kMedia},
    Known{"mp3", "audio/mpeg", kMedia},
    Known{"wav", "audio/wav", kMedia},
    Known{"ogg", "audio/ogg", kMedia},
    Known{"mp4", "video/mp4", kMedia},
    Known{"webm", "video/webm", kMedia},
    Known{"csv", "text/csv", kData},
    Known{"tsv", "text/tab-separated-values", kData},
    Known{"json", "application/json", kData},
    Known{"jsonl", "application/x-ndjson", kData},
    Known{"yaml", "application/yaml", kData},
    Known{"yml", "application/yaml", kData},
    Known{"xml", "application/xml", kData},
    Known{"toml", "application/toml", kData},
    Known{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", kData},
    Known{"parquet", "application/vnd.apache.parquet", kData},
    Known{"zip", "application/zip", kData},
    Known{"gz", "application/gzip", kData},
};

const Known* find_known(std::string_view path)
{
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return nullptr;
    const std::string ending = lower(name.substr(dot + 1));
    const auto found = std::ranges::find(kKnown, std::string_view(ending), &Known::ending);
    return found == kKnown.end() ? nullptr : &*found;
}

constexpr std::array<std::string_view, 12> kShown = {"text/plain", "text/markdown", "text/csv",   "image/png",
                                                     "image/jpeg", "image/gif",     "image/webp", "audio/mpeg",
                                                     "audio/wav",  "audio/ogg",     "video/mp4",  "video/webm"};

}  // namespace

std::string_view media_type_of(std::string_view path)
{
    const Known* known = find_known(path);
    return known ? known->type : "application/octet-stream";
}

std::string_view folder_for(std::string_view path, std::string_view media_type)
{
    if (!media_type.empty()) {
        const auto said = std::ranges::find(kKnown, media_type, &Known::type);
        if (said != kKnown.end()) return said->folder;
        for (const std::string_view begin : {"image/", "audio/", "video/"})
            if (media_type.starts_with(begin)) return kMedia;
        if (media_type.starts_with("text/")) return kDocuments;
    }
    const Known* known = find_known(path);
    return known ? known->folder : kData;
}

bool can_preview(std::string_view media_type)
{
    return std::ranges::find(kShown, media_type) != kShown.end();
}

bool is_text(std::string_view media_type)
{
    constexpr std::array<std::string_view, 7> kTexts = {"application/json", "application/x-ndjson", "application/yaml",
                                                        "application/xml",  "application/toml",     "application/sql",
                                                        "image/svg+xml"};
    return media_type.starts_with("text/") || std::ranges::find(kTexts, media_type) != kTexts.end();
}

bool is_media_type(std::string_view text)
{
    const auto is_token = [](std::string_view part) {
        return !part.empty() && std::ranges::all_of(part, [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   std::string_view("!#$&-^_.+").find(c) != std::string_view::npos;
        });
    };
    const std::size_t slash = text.find('/');
    return text.size() <= 127 && slash != std::string_view::npos && is_token(text.substr(0, slash)) &&
           is_token(text.substr(slash + 1));
}

}  // namespace cadre::artifacts
