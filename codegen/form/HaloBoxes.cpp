// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/HaloBoxes.h"

namespace nacre::codegen {

llvm::SmallVector<Box> subtractBox(const Box &outer, const Box &inner, int64_t firstAxis) {
  llvm::SmallVector<Box> boxes;
  Box rest = outer;
  auto peel = [&](int64_t axis) {
    const int64_t begin = rest.offsets[axis], end = begin + rest.sizes[axis];
    const int64_t innerBegin = inner.offsets[axis], innerEnd = innerBegin + inner.sizes[axis];
    auto add = [&](int64_t from, int64_t to) {
      if (from == to)
        return;
      boxes.push_back(rest);
      boxes.back().offsets[axis] = from;
      boxes.back().sizes[axis] = to - from;
    };
    add(begin, innerBegin);
    add(innerEnd, end);
    rest.offsets[axis] = innerBegin;
    rest.sizes[axis] = inner.sizes[axis];
  };
  peel(firstAxis);
  for (int64_t axis = 0, rank = outer.sizes.size(); axis < rank; ++axis)
    if (axis != firstAxis)
      peel(axis);
  return boxes;
}

llvm::SmallVector<HaloBox> cutHalo(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> low,
                                   llvm::ArrayRef<int64_t> high, unsigned cutAxis) {
  Box inner{llvm::SmallVector<int64_t>(shape.size(), 0), llvm::SmallVector<int64_t>(shape)}, outer = inner;
  for (unsigned axis = 0; axis < shape.size(); ++axis) {
    outer.offsets[axis] -= low[axis];
    outer.sizes[axis] += low[axis] + high[axis];
  }
  llvm::SmallVector<HaloBox> boxes;
  for (Box &box : subtractBox(outer, inner, cutAxis)) {
    const int64_t at = box.offsets[cutAxis];
    const auto owner = at < 0                 ? HaloBox::Owner::First
                       : at >= shape[cutAxis] ? HaloBox::Owner::Last
                                              : HaloBox::Owner::Alongside;
    boxes.push_back({std::move(box), owner});
  }
  return boxes;
}

} // namespace nacre::codegen
