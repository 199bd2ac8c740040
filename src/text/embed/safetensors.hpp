// The tensors of a file of the safetensors format: a header in JSON, then their bytes.
#pragma once

#include "text/embed/kernels.hpp"

#include <cstddef>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text::embed {

class Tensors {
public:
    /// `bytes` outlive it. Throws Error(invalid) that begins with `name` for anything but a whole file.
    Tensors(std::string_view bytes, std::string name);

    /// The halves of that tensor. Throws Error(invalid) where it is not there or has another shape or type.
    const Half* halves(const std::string& tensor, std::initializer_list<std::size_t> shape) const;

private:
    struct Tensor {
        std::string type{};
        std::vector<std::size_t> shape{};
        std::string_view bytes{};
    };
    std::string name_;
    std::map<std::string, Tensor, std::less<>> tensors_{};
};

}  // namespace cadre::text::embed
