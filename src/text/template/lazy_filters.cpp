#include "base/error.hpp"
#include "text/template/access.hpp"
#include "text/template/attributes.hpp"
#include "text/template/bodies.hpp"
#include "text/template/compare.hpp"
#include "text/template/filters.hpp"
#include "text/template/iterate.hpp"
#include "text/template/meter.hpp"
#include "text/template/operators.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

// Filters that give generators: nothing happens, and nothing fails, before somebody asks for an item.
namespace cadre::text::tpl {
namespace {

/// Goes over `source`, which is looked at for the first time when the first item is asked for.
class Lazy : public IteratorBody {
public:
    explicit Lazy(Value source) : source_(std::move(source))
    {
        if (source_.depth() >= kMaxDepth)
            throw Error(Code::limit, "lists and filters stand in each other more than 100 deep");
        depth = static_cast<std::uint16_t>(source_.depth() + 1);
    }

protected:
    bool next_source(Value& item, Meter& meter)
    {
        if (!walk_) walk_.emplace(source_);
        return walk_->next(item, meter);
    }

    Value source_;
    std::optional<Walk> walk_{};
};

/// map, select, reject and those by attribute: of something false there are no items.
class Applied : public Lazy {
public:
    Applied(const Value& source, const Arguments& arguments) : Lazy(source), arguments_(arguments) {}

    bool next(Value& item, Meter& meter) final
    {
        if (!started_) {
            started_ = true;
            ended_ = !truth(source_);
            if (!ended_) prepare();
        }
        if (!ended_ && next_applied(item, meter)) return true;
        ended_ = true;
        return false;
    }

protected:
    virtual void prepare() = 0;
    virtual bool next_applied(Value& item, Meter& meter) = 0;
    /// The text at this place names a filter or a test; what follows are its arguments.
    const std::string& take_name(std::size_t place)
    {
        const Value& name = arguments_.positional[place];
        if (is_undefined(name)) fail_undefined(name);
        if (!is_text(name))
            throw Error(Code::invalid,
                        fmt::format("a filter or test is named by a text, not by a {}", type_name(name)));
        name_ = name.text();
        arguments_.positional.erase(arguments_.positional.begin(),
                                    arguments_.positional.begin() + static_cast<std::ptrdiff_t>(place) + 1);
        return name_;
    }

    Arguments arguments_;

private:
    std::string name_{};
    bool started_ = false;
    bool ended_ = false;
};

class Mapped final : public Applied {
public:
    using Applied::Applied;

private:
    void prepare() override
    {
        if (arguments_.positional.empty() && !arguments_.named.empty()) {
            const auto [attribute, missing] = arguments_.bind({"attribute", "default"}, 1);
            path_.emplace(attribute);
            if (missing) missing_ = *missing;
            return;
        }
        if (arguments_.positional.empty()) throw Error(Code::invalid, "needs the name of a filter, or attribute=");
        const std::string& name = take_name(0);
        filter_ = find_filter(name);
        if (!filter_) throw Error(Code::invalid, "unknown filter " + in_quotes(name));
    }

    bool next_applied(Value& item, Meter& meter) override
    {
        Value source;
        if (!next_source(source, meter)) return false;
        item = path_ ? path_->get(source, meter, &missing_) : filter_->run(source, arguments_, meter);
        return true;
    }

    std::optional<AttributePath> path_{};
    Value missing_{};
    const Filter* filter_ = nullptr;
};

template <bool Wanted, bool ByAttribute>
class Selected final : public Applied {
public:
    using Applied::Applied;

private:
    void prepare() override
    {
        if (ByAttribute) {
            if (arguments_.positional.empty()) throw Error(Code::invalid, "needs the name of an attribute");
            path_.emplace(&arguments_.positional[0]);
        }
        const std::size_t place = ByAttribute ? 1 : 0;
        if (arguments_.positional.size() <= place) return;
        const std::string& name = take_name(place);
        test_ = find_test(name);
        if (!test_) throw Error(Code::invalid, "unknown test " + in_quotes(name));
    }

    bool next_applied(Value& item, Meter& meter) override
    {
        while (next_source(item, meter)) {
            const Value asked = path_ ? path_->get(item, meter) : item;
            if ((test_ ? test_->run(asked, arguments_, meter) : truth(asked)) == Wanted) return true;
        }
        return false;
    }

    std::optional<AttributePath> path_{};
    const Test* test_ = nullptr;
};

class Batched final : public Lazy {
public:
    Batched(const Value& source, const Value& count, const Value* fill) : Lazy(source), count_(count)
    {
        if (fill) fill_ = *fill;
    }

    bool next(Value& batch, Meter& meter) override
    {
        if (ended_) return false;
        for (Value item; next_source(item, meter);) {
            const bool full = equal(Value(static_cast<std::int64_t>(items_.size())), count_, meter);
            if (full) batch = Value::list(std::exchange(items_, {}));
            items_.push_back(std::move(item));
            if (full) return true;
        }
        ended_ = true;
        if (items_.empty()) return false;
        fill_up(meter);
        batch = Value::list(std::move(items_));
        return true;
    }

private:
    void fill_up(Meter& meter)
    {
        const Value size(static_cast<std::int64_t>(items_.size()));
        if (fill_.is(Kind::null) || !ordered(Order::less, size, count_, meter)) return;
        if (!is_integral(count_)) throw Error(Code::invalid, "batches have a whole number of items");
        const auto missing = static_cast<std::size_t>(integral(count_)) - items_.size();
        meter.charge(missing);
        items_.insert(items_.end(), missing, fill_);
    }

    Value count_;
    Value fill_{};
    std::vector<Value> items_{};
    bool ended_ = false;
};

class Sliced final : public Lazy {
public:
    Sliced(const Value& source, const Value& count, const Value* fill) : Lazy(source), count_(count)
    {
        if (fill) fill_ = *fill;
    }

    bool next(Value& slice, Meter& meter) override
    {
        if (slices_ < 0) start(meter);
        if (at_ >= slices_) return false;
        const auto size = static_cast<std::int64_t>(items_.size());
        const std::int64_t extra = size % slices_;
        const std::int64_t begin = std::min(at_, extra) + at_ * (size / slices_);
        const std::int64_t end = std::min(at_ + 1, extra) + (at_ + 1) * (size / slices_);
        meter.charge(static_cast<std::size_t>(end - begin));
        std::vector<Value> part(items_.begin() + begin, items_.begin() + end);
        if (!fill_.is(Kind::null) && at_ >= extra) part.push_back(fill_);
        ++at_;
        slice = Value::list(std::move(part));
        return true;
    }

private:
    void start(Meter& meter)
    {
        for (Value item; next_source(item, meter);) items_.push_back(std::move(item));
        if (is_undefined(count_)) fail_undefined(count_);
        if (!is_integral(count_))
            throw Error(Code::invalid, fmt::format("the number of slices is an integer, not a {}", type_name(count_)));
        if (integral(count_) == 0) throw Error(Code::invalid, "there cannot be 0 slices");
        slices_ = std::max<std::int64_t>(integral(count_), 0);
    }

    Value count_;
    Value fill_{};
    std::vector<Value> items_{};
    std::int64_t slices_ = -1;
    std::int64_t at_ = 0;
};

class Unique final : public Lazy {
public:
    Unique(const Value& source, const Value* case_sensitive, const Value* attribute) : Lazy(source), path_(attribute)
    {
        if (case_sensitive) case_sensitive_ = *case_sensitive;
    }

    bool next(Value& item, Meter& meter) override
    {
        while (next_source(item, meter)) {
            const Value key = path_.get(item, meter);
            if (add(truth(case_sensitive_) ? key : without_case(key, meter), meter)) return true;
        }
        return false;
    }

private:
    bool add(const Value& key, Meter& meter)
    {
        const std::size_t hash = hash_of(key, meter);
        const auto [first, last] = seen_.equal_range(hash);
        for (auto same = first; same != last; ++same)
            if (equal(same->second, key, meter)) return false;
        seen_.emplace(hash, key);
        return true;
    }

    AttributePath path_;
    Value case_sensitive_{false};
    std::unordered_multimap<std::size_t, Value> seen_{};
};

class Items final : public Lazy {
public:
    using Lazy::Lazy;

    bool next(Value& item, Meter& meter) override
    {
        if (is_undefined(source_)) return false;
        if (!source_.is(Kind::dict))
            throw Error(Code::invalid, fmt::format("needs a dict, not a {}", type_name(source_)));
        meter.charge();
        if (at_ >= source_.entries().size()) return false;
        const Value::Entry& entry = source_.entries()[at_++];
        item = tuple_of({entry.key, entry.value});
        return true;
    }

private:
    std::size_t at_ = 0;
};

class Reversed final : public Lazy {
public:
    explicit Reversed(const Value& source) : Lazy(source) { walk_.emplace(source_, true); }
    bool next(Value& item, Meter& meter) override { return next_source(item, meter); }
};

Value generator(IteratorBody* body)
{
    return {Kind::iterator, body};
}

template <class Made>
Value filter_applied(const Value& value, const Arguments& arguments, Meter&)
{
    return generator(new Made(value, arguments));
}

Value filter_batch(const Value& value, const Arguments& arguments, Meter&)
{
    const auto [count, fill] = arguments.bind({"linecount", "fill_with"}, 1);
    return generator(new Batched(value, *count, fill));
}

Value filter_slice(const Value& value, const Arguments& arguments, Meter&)
{
    const auto [count, fill] = arguments.bind({"slices", "fill_with"}, 1);
    return generator(new Sliced(value, *count, fill));
}

Value filter_unique(const Value& value, const Arguments& arguments, Meter&)
{
    const auto [case_sensitive, attribute] = arguments.bind({"case_sensitive", "attribute"}, 0);
    return generator(new Unique(value, case_sensitive, attribute));
}

Value filter_items(const Value& value, const Arguments& arguments, Meter&)
{
    arguments.expect_none();
    return generator(new Items(value));
}

Value filter_reverse(const Value& value, const Arguments& arguments, Meter& meter)
{
    arguments.expect_none();
    if (is_text(value)) return slice_of(value, nullptr, nullptr, Value(-1), meter);
    if (!value.is(Kind::iterator)) return generator(new Reversed(value));
    std::vector<Value> items = items_of(value, meter);
    std::ranges::reverse(items);
    return Value::list(std::move(items));
}

}  // namespace

const std::vector<Filter>& lazy_filters()
{
    static const std::vector<Filter> filters = {
        {"batch", filter_batch},
        {"items", filter_items},
        {"map", filter_applied<Mapped>},
        {"reject", filter_applied<Selected<false, false>>},
        {"rejectattr", filter_applied<Selected<false, true>>},
        {"reverse", filter_reverse},
        {"select", filter_applied<Selected<true, false>>},
        {"selectattr", filter_applied<Selected<true, true>>},
        {"slice", filter_slice},
        {"unique", filter_unique},
    };
    return filters;
}

}  // namespace cadre::text::tpl
