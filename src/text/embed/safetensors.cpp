#include "text/embed/safetensors.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

namespace cadre::text::embed {
namespace {

constexpr std::size_t kMostHeaderBytes = 1 << 20;

std::size_t count_in(const json::value& value)
{
    return value.to_number<std::size_t>();
}

}  // namespace

Tensors::Tensors(std::string_view bytes, std::string name) : name_(std::move(name))
{
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t header = 0;
    const auto refuse = [&](const std::string& why) { throw Error(Code::invalid, name_ + ": " + why); };
    if (bytes.size() < sizeof header) refuse("is not a safetensors file: too short");
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header > kMostHeaderBytes || header > bytes.size() - sizeof header)
        refuse("is not a safetensors file, or is cut");
    const std::string_view data = bytes.substr(sizeof header + header);
    try {
        const json::value described = parse_json(bytes.substr(sizeof header, header), {.bytes = kMostHeaderBytes});
        for (const auto& [key, value] : described.as_object()) {
            if (key == "__metadata__") continue;
            Tensor tensor{.type = std::string(value.at("dtype").as_string())};
            for (const json::value& size : value.at("shape").as_array()) tensor.shape.push_back(count_in(size));
            const json::array& range = value.at("data_offsets").as_array();
            const std::size_t from = count_in(range.at(0)), to = count_in(range.at(1));
            if (from > to || to > data.size())
                refuse("is cut: " + std::string(key) + " ends at byte " + std::to_string(to) + " of " +
                       std::to_string(data.size()));
            tensor.bytes = data.substr(from, to - from);
            tensors_.emplace(key, std::move(tensor));
        }
    } catch (const Error& error) {
        if (error.code() == Code::invalid) throw;
        refuse("its header is not JSON");
    } catch (const std::exception&) {  // of values that are of other types than we ask for
        refuse("its header does not describe tensors");
    }
}

const Half* Tensors::halves(const std::string& tensor, std::initializer_list<std::size_t> shape) const
{
    const auto found = tensors_.find(tensor);
    if (found == tensors_.end()) throw Error(Code::invalid, name_ + ": has no tensor " + tensor);
    std::size_t size = sizeof(Half);
    for (const std::size_t length : shape) size *= length;
    const Tensor& is = found->second;
    if (is.type != "F16" || is.shape != std::vector<std::size_t>(shape) || is.bytes.size() != size)
        throw Error(Code::invalid, name_ + ": the tensor " + tensor + " has another type or shape than this model's");
    // the format aligns nothing; kernels load without alignment, too
    return reinterpret_cast<const Half*>(is.bytes.data());
}

}  // namespace cadre::text::embed
