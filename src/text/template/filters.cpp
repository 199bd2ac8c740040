#include "text/template/filters.hpp"

#include <algorithm>
#include <unordered_map>

namespace cadre::text::tpl {
namespace {

template <class T>
std::unordered_map<std::string_view, const T*> index_of(std::initializer_list<const std::vector<T>*> tables)
{
    std::unordered_map<std::string_view, const T*> index;
    for (const std::vector<T>* table : tables)
        for (const T& entry : *table) index.emplace(entry.name, &entry);
    return index;
}

const auto& filter_index()
{
    static const auto index = index_of<Filter>({&text_filters(), &number_filters(), &list_filters(), &lazy_filters()});
    return index;
}

const auto& test_index()
{
    static const auto index = index_of<Test>({&all_tests()});
    return index;
}

template <class Index>
std::vector<std::string> sorted_names(const Index& index)
{
    std::vector<std::string> names;
    for (const auto& entry : index) names.emplace_back(entry.first);
    std::ranges::sort(names);
    return names;
}

}  // namespace

const Filter* find_filter(std::string_view name)
{
    const auto found = filter_index().find(name);
    return found == filter_index().end() ? nullptr : found->second;
}

const Test* find_test(std::string_view name)
{
    const auto found = test_index().find(name);
    return found == test_index().end() ? nullptr : found->second;
}

const std::vector<std::string>& filter_names()
{
    static const std::vector<std::string> names = sorted_names(filter_index());
    return names;
}

const std::vector<std::string>& test_names()
{
    static const std::vector<std::string> names = sorted_names(test_index());
    return names;
}

}  // namespace cadre::text::tpl
