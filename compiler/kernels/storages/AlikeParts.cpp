// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/storages/AlikeParts.h"

#include "llvm/ADT/STLExtras.h"

namespace nacre::kernels {

std::vector<int64_t> AlikeParts::getShape(const Place &part) {
  std::vector<int64_t> shape = {part.storage};
  for (const Sizes *sizes : {&part.shape, &part.sizes, &part.steps})
    llvm::append_range(shape, *sizes);
  return shape;
}

Place beginWithPart(const Place &part) {
  if (part.isContiguous())
    return part.seenAs(part.sizes);
  Place moved = part;
  moved.base = part.getFirstElement();
  moved.offsets.assign(part.offsets.size(), 0);
  moved.shape.front() = (part.sizes.front() - 1) * part.steps.front() + 1;
  return moved;
}

} // namespace nacre::kernels
