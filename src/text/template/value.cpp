#include "text/template/value.hpp"

#include "base/error.hpp"
#include "text/template/bodies.hpp"
#include "text/template/compare.hpp"
#include "text/template/meter.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace cadre::text {
namespace tpl {
namespace {

constexpr std::size_t kFewEntries = 8;  // so many are looked through one by one

std::uint16_t deeper(std::uint16_t depth)
{
    if (depth >= kMaxDepth) throw Error(Code::limit, "lists and dicts stand in each other more than 100 deep");
    return static_cast<std::uint16_t>(depth + 1);
}

}  // namespace

ListBody::ListBody(std::vector<Value> values) : items(std::move(values))
{
    std::uint16_t deepest = 0;
    for (const Value& item : items) deepest = std::max(deepest, item.depth());
    depth = deeper(deepest);
}

DictBody::DictBody(std::vector<Value::Entry> all, Meter& meter)
{
    std::uint16_t deepest = 0;
    entries.reserve(all.size());
    if (all.size() > kFewEntries) slots_.resize(std::bit_ceil(all.size() * 2));
    for (Value::Entry& entry : all) {
        deepest = std::max({deepest, entry.key.depth(), entry.value.depth()});
        const std::size_t hash = hash_of(entry.key, meter);  // fails for what cannot be a key
        const auto same = [&](const Value& key) { return equal(key, entry.key, meter); };
        if (const Value::Entry* before = look_up(hash, same)) {
            entries[static_cast<std::size_t>(before - entries.data())].value = std::move(entry.value);
            continue;
        }
        entries.push_back(std::move(entry));
        if (slots_.empty()) continue;
        std::size_t slot = hash & (slots_.size() - 1);
        while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = static_cast<std::uint32_t>(entries.size());
    }
    depth = deeper(deepest);
}

template <class Same>
const Value::Entry* DictBody::look_up(std::size_t hash, Same same) const
{
    if (slots_.empty()) {
        for (const Value::Entry& entry : entries)
            if (same(entry.key)) return &entry;
        return nullptr;
    }
    for (std::size_t slot = hash & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
        if (slots_[slot] == 0) return nullptr;
        const Value::Entry& entry = entries[slots_[slot] - 1];
        if (same(entry.key)) return &entry;
    }
}

const Value* DictBody::find(const Value& key, Meter& meter) const
{
    const auto same = [&](const Value& other) { return equal(other, key, meter); };
    const Value::Entry* entry = look_up(hash_of(key, meter), same);
    return entry ? &entry->value : nullptr;
}

const Value* DictBody::find(std::string_view key) const
{
    const auto same = [&](const Value& other) { return is_text(other) && other.text() == key; };
    const Value::Entry* entry = look_up(slots_.empty() ? 0 : hash_of(key), same);
    return entry ? &entry->value : nullptr;
}

std::int64_t RangeBody::length() const
{
    // the distance fits into 64 bits without a sign, and range() has bounded the quotient
    if (step > 0 ? start >= stop : start <= stop) return 0;
    const std::uint64_t distance = step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                                            : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
    const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    return static_cast<std::int64_t>((distance - 1) / stride + 1);
}

Value ViewBody::item(const Value::Entry& entry) const
{
    if (part == Part::keys) return entry.key;
    return part == Part::values ? entry.value : tuple_of({entry.key, entry.value});
}

Value markup_of(std::string text)
{
    return {Value::Kind::string, new TextBody(std::move(text)), true};
}

Value tuple_of(std::vector<Value> items)
{
    return {Value::Kind::tuple, new ListBody(std::move(items))};
}

Value dict_of(std::vector<Value::Entry> entries, Meter& meter)
{
    return {Value::Kind::dict, new DictBody(std::move(entries), meter)};
}

Value undefined_of(std::string why)
{
    return {Value::Kind::undefined, new UndefinedBody(UndefinedBody::What::sentence, std::move(why))};
}

Value undefined_name(std::string name)
{
    return {Value::Kind::undefined, new UndefinedBody(UndefinedBody::What::name, std::move(name))};
}

Value undefined_entry(const Value& owner, std::string name)
{
    return {Value::Kind::undefined, new UndefinedBody(UndefinedBody::What::entry, std::move(name), owner)};
}

Value lenient_undefined(std::string why)
{
    return {Value::Kind::undefined, new UndefinedBody(UndefinedBody::What::sentence, std::move(why)), true};
}

Value view_of(const Value& dict, ViewBody::Part part)
{
    return {Value::Kind::view, new ViewBody(dict, part)};
}

Value range_of(std::int64_t start, std::int64_t stop, std::int64_t step)
{
    auto body = std::make_unique<RangeBody>();
    body->start = start;
    body->stop = stop;
    body->step = step;
    return {Value::Kind::range, body.release()};
}

}  // namespace tpl

Value::Value(std::string text) : kind_(Kind::string)
{
    content_.body = new tpl::TextBody(std::move(text));
}

Value Value::list(std::vector<Value> items)
{
    return {Kind::list, new tpl::ListBody(std::move(items))};
}

Value Value::dict(std::vector<Entry> entries)
{
    tpl::Meter meter;
    return tpl::dict_of(std::move(entries), meter);
}

Value& Value::operator=(Value&& other) noexcept
{
    std::swap(kind_, other.kind_);
    std::swap(special_, other.special_);
    std::swap(content_, other.content_);
    return *this;
}

void Value::release()
{
    if (content_.body->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete content_.body;
}

const std::string& Value::text() const
{
    return static_cast<const tpl::TextBody*>(content_.body)->text;
}

const std::vector<Value>& Value::items() const
{
    return static_cast<const tpl::ListBody*>(content_.body)->items;
}

const std::vector<Value::Entry>& Value::entries() const
{
    return static_cast<const tpl::DictBody*>(content_.body)->entries;
}

const Value* Value::find(std::string_view key) const
{
    return static_cast<const tpl::DictBody*>(content_.body)->find(key);
}

std::string_view type_name(const Value& value)
{
    static constexpr std::array<std::string_view, 13> kNames = {"None",      "bool", "int",      "float", "str",
                                                                "list",      "dict", "tuple",    "range", "view",
                                                                "generator", "loop", "undefined"};
    return kNames[static_cast<std::size_t>(value.kind())];
}

}  // namespace cadre::text
