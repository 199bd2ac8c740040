// Lists whose nodes are their elements: nothing is allocated, and a node that dies leaves its list by itself. That is
// what makes it safe to destroy a coroutine while it waits for something.
#pragma once

namespace cadre {

/// Base of a list's elements. An object can be in several lists at once through different tags.
template <class Tag>
class Link {
public:
    Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link()
    {
        if (linked()) unlink();
    }

    bool linked() const { return next_ != this; }

    void unlink() noexcept
    {
        prev_->next_ = next_;
        next_->prev_ = prev_;
        prev_ = next_ = this;
    }

private:
    template <class T, class>
    friend class LinkedList;

    void insert_before(Link& position) noexcept
    {
        unlink();
        prev_ = position.prev_;
        next_ = &position;
        prev_->next_ = next_->prev_ = this;
    }

    Link* prev_ = this;
    Link* next_ = this;
};

template <class T, class Tag>
class LinkedList {
public:
    LinkedList() = default;

    /// Its elements outlive it, outside any list.
    ~LinkedList()
    {
        while (pop_front()) {}
    }

    bool empty() const { return !head_.linked(); }

    void push_back(T& element) noexcept { as_link(element).insert_before(head_); }

    T* front() noexcept { return empty() ? nullptr : static_cast<T*>(head_.next_); }

    /// The element behind `element`, or null at the end.
    T* after(T& element) noexcept
    {
        Link<Tag>* next = as_link(element).next_;
        return next == &head_ ? nullptr : static_cast<T*>(next);
    }

    T* pop_front() noexcept
    {
        T* first = front();
        if (first) as_link(*first).unlink();
        return first;
    }

private:
    static Link<Tag>& as_link(T& element) noexcept { return element; }

    Link<Tag> head_;
};

}  // namespace cadre
