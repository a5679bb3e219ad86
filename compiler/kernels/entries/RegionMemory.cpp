// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernels/entries/RegionMemory.h"

#include "compiler/kernels/bodies/ElementTypes.h"

using namespace mlir;

namespace nacre::kernels {

Value RegionMemory::allocate(Type type, std::optional<int64_t> rows) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  if (rows)
    shape.insert(shape.begin(), *rows);
  return entry.allocate(MemRefType::get(shape, getStorageType(tensor.getElementType())), loc);
}

Value RegionMemory::view(Value memory, Type type, Steps steps, Value counter) {
  auto part = cast<ShapedType>(memory.getType()).clone(cast<RankedTensorType>(type).getShape());
  return plan::ViewOp::create(entry.getBuilder(), loc, part, memory, steps.step ? counter : Value(), steps.offset,
                              steps.step);
}

Value RegionMemory::load(Value memory) {
  auto type = cast<MemRefType>(memory.getType());
  return plan::ViewOp::create(entry.getBuilder(), loc, RankedTensorType::get(type.getShape(), type.getElementType()),
                              memory, Value(), /*offset=*/0, /*step=*/0);
}

LogicalResult RegionMemory::store(Value host, Value memory, bool isLate) {
  Value tensor = entry.lookup(host);
  if (!tensor)
    return failure();
  storeTensor(tensor, memory, isLate);
  return success();
}

void RegionMemory::storeTensor(Value tensor, Value memory, bool isLate) {
  plan::StoreOp::create(entry.getBuilder(), loc, tensor, memory, isLate);
}

} // namespace nacre::kernels
