// Included before gotch 0.9.1's C++ by scripts/libtorch.sh. That binds libtorch 2.1; three
// functions that it binds, and this project does not use, have had other parameters since.
// The declarations here are nearer than libtorch's own and so are what gotch calls.
#pragma once
#ifdef __cplusplus
#include <stdexcept>
#include <tuple>
#include <torch/torch.h>
#include <torch/version.h>
#if TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR > 201
namespace torch {
using MaybeType = std::optional<at::ScalarType>;

inline at::Tensor _cslt_sparse_mm(const at::Tensor &, const at::Tensor &, const at::Tensor &, bool) {
  throw std::runtime_error("_cslt_sparse_mm: not bound for this libtorch");
}

inline std::tuple<at::Tensor, at::Tensor> _scaled_mm(
    const at::Tensor &, const at::Tensor &, const at::Tensor &, MaybeType,
    const at::Tensor &, const at::Tensor &, const at::Tensor &) {
  throw std::runtime_error("_scaled_mm: not bound for this libtorch");
}

inline std::tuple<at::Tensor, at::Tensor> _scaled_mm_out(
    const at::Tensor &, const at::Tensor &, const at::Tensor &, const at::Tensor &,
    const at::Tensor &, MaybeType, const at::Tensor &, const at::Tensor &, const at::Tensor &) {
  throw std::runtime_error("_scaled_mm_out: not bound for this libtorch");
}
} // namespace torch
#endif
#endif
