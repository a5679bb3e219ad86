// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  kernels of pools as text: the largest of every window of an image of any rank, channels last.
// Why:   windows that leave the image on all sides have as many regions, each with code of its own.

#ifndef NACRE_TEST_UNIT_CODEGEN_POOLTEXTS_H
#define NACRE_TEST_UNIT_CODEGEN_POOLTEXTS_H

#include "test/unit/codegen/KernelTexts.h"

namespace nacre::codegen {

struct PoolText {
  Sizes image; ///< Size of the operand.
  int64_t channels;
  int64_t window = 3, stride = 1, pad = 1; ///< Along each dimension.

  std::string text() const {
    const size_t rank = image.size();
    Sizes x = {1}, padded = {1}, y = {1}, border(rank + 2, pad);
    std::vector<std::string> outer = {"n"}, inner, at = {"n"}, iterators(rank + 2, "\"parallel\"");
    border.front() = border.back() = 0;
    for (size_t axis = 0; axis < rank; ++axis) {
      const std::string h = "h" + std::to_string(axis), i = "i" + std::to_string(axis);
      x.push_back(image[axis]);
      padded.push_back(image[axis] + 2 * pad);
      y.push_back((padded.back() - window) / stride + 1);
      outer.push_back(h);
      inner.push_back(i);
      at.push_back(llvm::formatv("{0} * {1} + {2}", h, stride, i));
      iterators.push_back("\"reduction\"");
    }
    for (Sizes *sizes : {&x, &padded, &y})
      sizes->push_back(channels);
    outer.push_back("c");
    at.push_back("c");
    std::vector<std::string> indices;
    for (size_t axis = 0; axis < rank + 2; ++axis)
      indices.push_back("%k" + std::to_string(axis) + ": index");
    const std::string loops = llvm::join(outer, ", ") + ", " + llvm::join(inner, ", ");
    return llvm::formatv(
        R"(
plan.kernel @kernel nest (%x: {0}) into (%y: {1}) cut 1 : {2} by 1 {{
  %lowest = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low{3} high{3} {{
  ^bb0({4}):
    tensor.yield %lowest : f32
  } : {0} to {5}
  %window = tensor.empty() : {6}
  %f = linalg.fill ins(%lowest : f32) outs(%y : {1}) -> {1}
  %r = linalg.generic {{indexing_maps = [affine_map<({7}) -> ({8})>, affine_map<({7}) -> ({9})>, affine_map<({7}) -> ({10})>],
                       iterator_types = [{11}]}
      ins(%p, %window : {5}, {6}) outs(%f : {1}) {{
  ^bb0(%a: f32, %unread: f32, %o: f32):
    %m = arith.maximumf %o, %a : f32
    linalg.yield %m : f32
  } -> {1}
  plan.yield %r : {1}
})",
        tensorText(x, "f32"), tensorText(y, "f32"), y[1], listText(border), llvm::join(indices, ", "),
        tensorText(padded, "f32"), tensorText(Sizes(rank, window), "f32"), loops, llvm::join(at, ", "),
        llvm::join(inner, ", "), llvm::join(outer, ", "), llvm::join(iterators, ", "));
  }
};

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_POOLTEXTS_H
