// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/ProductColumns.h"

using namespace mlir;

namespace nacre::codegen {
namespace {

bool isEncoded(plan::KernelOp kernel, const Input &read) {
  if (read.source != Input::Source::Storage || read.access.argument >= unsigned(kernel.getNumInputs()))
    return false;
  auto encoding = kernel.getEncoding(read.access.argument);
  return encoding && encoding.getKind() != plan::EncodingKind::Plain;
}

/// Returns the loop over columns if Lhs is the product's input `lhs`; `nullopt` if that is impossible. An encoded
/// operand must be Rhs, because its last axis is the columns.
std::optional<unsigned> columnsBeside(unsigned lhs, plan::KernelOp kernel, const Work &product,
                                      ArrayRef<int64_t> resultStrides) {
  const Input &left = product.inputs[lhs], &right = product.inputs[1 - lhs];
  if (isEncoded(kernel, left))
    return std::nullopt;
  for (unsigned loop = product.loops(); loop-- > 0;) {
    if (!product.parallel[loop] || left.map.isFunctionOfDim(loop) || !right.map.isFunctionOfDim(loop))
      continue;
    if (resultStrides[loop] == 1 || (lhs == 0 && product.sizes[loop] == 1))
      return loop;
  }
  return std::nullopt;
}

/// Returns the parallel loop along which all operands are contiguous.
std::optional<unsigned> findChannels(const Work &product, ArrayRef<int64_t> resultStrides) {
  for (unsigned loop = product.loops(); loop-- > 0;)
    if (product.parallel[loop] && resultStrides[loop] == 1 &&
        llvm::all_of(ArrayRef(product.inputs).take_front(2), [&](const Input &input) {
          return input.source == Input::Source::Storage && input.access.strides[loop] == 1;
        }))
      return loop;
  return std::nullopt;
}

} // namespace

std::optional<ProductColumns> findProductColumns(plan::KernelOp kernel, const Work &product,
                                                 ArrayRef<int64_t> resultStrides) {
  for (unsigned lhs : {0, 1})
    if (std::optional<unsigned> loop = columnsBeside(lhs, kernel, product, resultStrides))
      return ProductColumns{*loop, lhs, /*depthwise=*/false};
  if (std::optional<unsigned> loop = findChannels(product, resultStrides))
    return ProductColumns{*loop, /*lhs=*/0, /*depthwise=*/true};
  return std::nullopt;
}

} // namespace nacre::codegen
