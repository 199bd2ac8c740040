#include "server/audit_files.hpp"

#include "base/error.hpp"
#include "storage/files.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace cadre::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".jsonl";
constexpr std::size_t kMonthLength = 7;               // 2026-11
constexpr std::uint64_t kMostBytesScanned = 4 << 20;  // bytes, for one page

std::string month_of(Time time)
{
    return to_iso(time).substr(0, kMonthLength);
}

fs::path file_of(const fs::path& folder, const std::string& tenant, const std::string& month)
{
    return folder / tenant / (month + std::string(kSuffix));
}

/// The months that are there, the earliest first.
std::vector<std::string> months_of(const fs::path& folder, const std::string& tenant)
{
    std::vector<std::string> months;
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator(folder / tenant, gone)) {
        const std::string name = entry.path().filename().string();
        if (name.size() == kMonthLength + kSuffix.size() && name.ends_with(kSuffix))
            months.push_back(name.substr(0, kMonthLength));
    }
    std::ranges::sort(months);
    return months;
}

/// Whole lines of a text; what follows the last newline is not one.
template <class Each>
void for_each_line(std::string_view text, Each each)
{
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
        each(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
}

std::string whole_text(const fs::path& file)
{
    return storage::find_file(file).value_or("");
}

/// Cuts off what a crash left half written: nobody was told that it is there.
void mend(const fs::path& file)
{
    const std::string text = whole_text(file);
    const std::size_t whole = text.rfind('\n') == text.npos ? 0 : text.rfind('\n') + 1;
    if (whole != text.size() && ::truncate(file.c_str(), static_cast<off_t>(whole)) != 0)
        storage::throw_errno("cut", file);
}

Hash last_hash(const fs::path& file)
{
    Hash last{};
    for_each_line(whole_text(file), [&](std::string_view line) { last = sha256(line); });
    return last;
}

/// All of it or nothing.
void append_text(const fs::path& file, std::string_view text)
{
    storage::make_private_file(file);
    const storage::Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (!descriptor) storage::throw_errno("open", file);
    const off_t before = ::lseek(descriptor.get(), 0, SEEK_END);
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            const int why = errno;
            // a half line is cut off again, here or by whoever opens the file next
            [[maybe_unused]] const int cut = ::ftruncate(descriptor.get(), before);
            errno = why;
            storage::throw_errno("write", file);
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fdatasync(descriptor.get()) != 0) storage::throw_errno("sync", file);
}

bool fits(const AuditEntry& entry, const AuditFilter& filter)
{
    return (!filter.after || entry.time > *filter.after) && (!filter.before || entry.time < *filter.before) &&
           (filter.subject.empty() || entry.subject == filter.subject) &&
           (filter.verb.empty() || entry.verb == filter.verb) && (filter.kind.empty() || entry.kind == filter.kind);
}

bool may_hold(const std::string& month, const AuditFilter& filter, const AuditPlace& from)
{
    return month >= from.month && (!filter.after || month >= month_of(*filter.after)) &&
           (!filter.before || month <= month_of(*filter.before));
}

}  // namespace

AuditFiles::End& AuditFiles::end_of(const std::string& tenant)
{
    const auto [place, is_new] = ends_.try_emplace(tenant);
    if (!is_new) return place->second;
    try {
        const auto months = months_of(folder_, tenant);
        if (!months.empty()) {
            const fs::path file = file_of(folder_, tenant, months.back());
            mend(file);
            place->second = {months.back(), last_hash(file)};
        }
    } catch (...) {
        ends_.erase(place);
        throw;
    }
    return place->second;
}

void AuditFiles::append(const std::string& tenant, const std::vector<AuditEntry>& entries)
{
    storage::make_private_folder(folder_ / tenant);
    End& end = end_of(tenant);
    std::string text;
    End after = end;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        // a clock that was set back does not lead into a month that is over
        after.month = std::max(after.month, month_of(entries[i].time));
        const std::string line = audit_line(entries[i], after.last);
        after.last = sha256(line);
        text += line + "\n";
        const bool is_last = i + 1 == entries.size() || month_of(entries[i + 1].time) > after.month;
        if (!is_last) continue;
        try {
            append_text(file_of(folder_, tenant, after.month), text);
        } catch (...) {
            ends_.erase(tenant);  // what is on the disk is looked at again
            throw;
        }
        end = after;
        text.clear();
    }
}

AuditPage read_audit(const fs::path& folder, const std::string& tenant, const AuditFilter& filter,
                     const AuditPlace& from, std::size_t limit)
{
    AuditPage page;
    std::uint64_t scanned = 0;
    for (const std::string& month : months_of(folder, tenant)) {
        if (!may_hold(month, filter, from)) continue;
        std::ifstream file(file_of(folder, tenant, month), std::ios::binary);
        std::uint64_t offset = month == from.month ? from.offset : 0;
        file.seekg(static_cast<std::streamoff>(offset));
        for (std::string line; std::getline(file, line) && !file.eof();) {
            if (page.entries.size() == limit || scanned > kMostBytesScanned) {
                page.next = AuditPlace{month, offset};
                return page;
            }
            offset += line.size() + 1;
            scanned += line.size() + 1;
            if (auto found = find_audit_line(line); found && fits(found->entry, filter))
                page.entries.push_back(std::move(found->entry));
        }
    }
    return page;
}

std::optional<std::string> find_audit_fault(const fs::path& folder, const std::string& tenant)
{
    std::optional<std::string> fault;
    std::optional<Hash> before;  // none: the first line that is there
    for (const std::string& month : months_of(folder, tenant)) {
        std::size_t number = 0;
        for_each_line(whole_text(file_of(folder, tenant, month)), [&](std::string_view text) {
            ++number;
            const auto line = find_audit_line(text);
            const std::string where = fmt::format("{}{}, line {}: ", month, kSuffix, number);
            if (!line && !fault) fault = where + "this is not a line of an audit";
            else if (line && before && line->before != *before && !fault)
                fault = where + "this line does not follow the one before it: one was changed, added or removed";
            before = sha256(text);
        });
    }
    return fault;
}

}  // namespace cadre::server
