// Tools: functions of the program that agents may call.
#pragma once

#include "cadre/detail/json.hpp"
#include "cadre/export.hpp"
#include "cadre/failure.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cadre {

/// What a second dispatch of the same call would do: it decides what happens after a crash in the middle of one.
enum class Repeats : std::uint8_t {
    pure,        // nothing: free to repeat
    idempotent,  // the same again
    keyed,       // the same again, because the tool knows our key
    once,        // it all twice: never repeated by us; a person is asked what became of it
};

/// A call on its way to a tool.
class CADRE_API Arguments {
public:
    Arguments(std::string json, std::string key) : json_(std::move(json)), key_(std::move(key)) {}

    /// Empty, 0 or false when there is none of that type.
    std::string text(std::string_view name) const;
    double number(std::string_view name) const;
    bool flag(std::string_view name) const;
    /// All of them, a JSON object.
    const std::string& json() const { return json_; }
    /// The same on every dispatch of this call.
    const std::string& key() const { return key_; }

private:
    std::string json_;
    std::string key_;
};

/// Something that agents may call. The function runs on another thread than the engine's, several at once; what it throws is
/// told to the model.
struct Tool {
    std::string name{};
    std::string description{};
    Repeats repeats = Repeats::once;
    std::string input_schema{};   // JSON Schema of the arguments; empty: anything
    bool needs_approval = false;  // a person must agree to each call
    std::function<std::string(const Arguments&)> call{};
};

/// What the signature of a function does not say.
struct ToolOptions {
    Repeats repeats = Repeats::once;
    bool needs_approval = false;
};

/// What the model is told about an argument: `"city"`, or `{"city", "where to look"}`.
struct Parameter {
    Parameter(const char* n, const char* d = "") : name(n), description(d) {}

    std::string name;
    std::string description;
};

namespace detail {

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... A>
struct Signature<R (*)(A...)> {
    using Result = R;
    using Types = std::tuple<std::decay_t<A>...>;
};
template <class R, class... A>
struct Signature<R (*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...)> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) noexcept> : Signature<R (*)(A...)> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const noexcept> : Signature<R (*)(A...)> {};

/// Text as it is, anything else as JSON.
template <class T>
std::string said(const T& result)
{
    if constexpr (std::is_convertible_v<const T&, std::string_view>) return std::string(std::string_view(result));
    else return Json<T>::write(result);
}

/// The names of a function's arguments; `arg1` and so on where none are given. Throws Failure(invalid) when their number is wrong.
CADRE_API std::vector<Parameter> names_for(std::string_view tool, std::vector<Parameter> given, std::size_t wanted);

template <class F, class... Types>
Tool tool_of(Tool tool, std::vector<Parameter> parameters, F function, std::tuple<Types...>*)
{
    // a function may also take the call itself, for its key
    constexpr bool kIsCall[] = {std::is_same_v<Types, Arguments>..., false};
    constexpr std::size_t kCount = (std::size_t{!std::is_same_v<Types, Arguments>} + ... + 0);
    parameters = names_for(tool.name, std::move(parameters), kCount);

    std::vector<std::size_t> places;  // of each argument among the parameters
    for (std::size_t i = 0, place = 0; i < sizeof...(Types); ++i) places.push_back(kIsCall[i] ? 0 : place++);
    ObjectSchema schema;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto add = [&]<std::size_t Place, class T>(std::integral_constant<std::size_t, Place>, T*) {
            if constexpr (!std::is_same_v<T, Arguments>)
                schema.add<T>(parameters[places[Place]].name, parameters[places[Place]].description);
        };
        (add(std::integral_constant<std::size_t, I>{}, static_cast<Types*>(nullptr)), ...);
    }(std::index_sequence_for<Types...>{});
    tool.input_schema = schema.text();

    auto shared = std::make_shared<F>(std::move(function));
    tool.call = [shared, parameters, places](const Arguments& call) -> std::string {
        const auto members = members_from(call.json());
        const auto argument = [&]<class T>(std::size_t place, T*) -> T {
            if constexpr (std::is_same_v<T, Arguments>) return call;
            else return read_member<T>(members, parameters[places[place]].name);
        };
        return [&]<std::size_t... I>(std::index_sequence<I...>) -> std::string {
            // in braces, so that the first argument that is wrong is the one that is told
            std::tuple<Types...> values{argument(I, static_cast<Types*>(nullptr))...};
            if constexpr (std::is_void_v<typename Signature<F>::Result>) {
                (*shared)(std::move(std::get<I>(values))...);
                return "Done.";
            } else {
                return said((*shared)(std::move(std::get<I>(values))...));
            }
        }(std::index_sequence_for<Types...>{});
    };
    return tool;
}

}  // namespace detail

/// A tool from a function: what its arguments are, its signature says. `parameters` name them, in their order; without any they are
/// called arg1, arg2 and so on. Arguments are bool, numbers, std::string, std::vector, std::map, std::optional, or a struct with
/// cadre_fields(); one of type `cadre::Arguments` is the call itself, of which the model hears nothing. A result that is not text is
/// told as JSON.
///     cadre::tool_from("add", "Adds two numbers.", {"a", "b"}, [](int a, int b) { return a + b; }, {.repeats = cadre::Repeats::pure})
template <class F>
Tool tool_from(std::string name, std::string description, std::vector<Parameter> parameters, F function,
               ToolOptions options = {})
{
    Tool tool{.name = std::move(name),
              .description = std::move(description),
              .repeats = options.repeats,
              .needs_approval = options.needs_approval};
    using Types = typename detail::Signature<std::decay_t<F>>::Types;
    return detail::tool_of(std::move(tool), std::move(parameters), std::decay_t<F>(std::move(function)),
                           static_cast<Types*>(nullptr));
}
template <class F>
Tool tool_from(std::string name, std::string description, F function, ToolOptions options = {})
{
    return tool_from(std::move(name), std::move(description), std::vector<Parameter>(), std::move(function), options);
}

}  // namespace cadre
