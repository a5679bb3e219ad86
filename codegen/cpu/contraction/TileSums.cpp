// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/contraction/TileSums.h"

#include "dialects/StoredBytes.h"

using namespace mlir;

namespace nacre::codegen::cpu {

TileSums::TileSums(VectorBuilder &build, const DepthPart &part, const TileShape &shape, int64_t vectors,
                   unsigned lastLanes, Type type)
    : build(build), part(part), shape(shape), vectors(vectors), lastLanes(lastLanes),
      type(VectorType::get({shape.machine.lanes}, type)) {
  if (!part.sums || shape.machine.registersPerLoad == 1 || vectors == 1)
    return;
  pointers.push_back(build.pointer(part.sums, part.sumsAt));
  while (int64_t(pointers.size()) < shape.rows)
    pointers.push_back(build.moved(pointers.back(), part.sumsStride * bytesOfElement(type)));
}

/// Of the sum of that number, and all valid.
Piece TileSums::pieceOf(int64_t number) const {
  const unsigned width = (number + 1) % vectors == 0 ? lastLanes : type.getNumElements();
  return {0, width, width};
}

Value TileSums::addressOf(int64_t number) {
  return build.add(part.sumsAt, number / vectors * part.sumsStride + number % vectors * type.getNumElements());
}

Value TileSums::pointerOf(int64_t number) {
  return build.add(pointers[number / vectors], number % vectors * shape.machine.registerBytes());
}

SmallVector<Value> TileSums::load() {
  SmallVector<Value> sums;
  for (int64_t number = 0; number < shape.rows * vectors; ++number)
    sums.push_back(pointers.empty() ? build.load(part.sums, addressOf(number), pieceOf(number))
                                    : build.loadAt(pointerOf(number), type));
  return sums;
}

void TileSums::store(ArrayRef<Value> sums) {
  for (auto [number, sum] : llvm::enumerate(sums))
    pointers.empty() ? build.store(sum, part.sums, addressOf(number), pieceOf(number))
                     : build.storeAt(sum, pointerOf(number));
}

} // namespace nacre::codegen::cpu
