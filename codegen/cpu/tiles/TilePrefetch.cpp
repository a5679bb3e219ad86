// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/TilePrefetch.h"

#include "dialects/StoredBytes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace nacre::codegen::cpu {

Type TilePrefetch::columnType() const { return cast<MemRefType>(panel.buffer.getType()).getElementType(); }

void TilePrefetch::ask(Value from, int64_t first, int64_t count) {
  const int64_t line = kLineBytes / bytesOfElement(columnType());
  for (int64_t next = 0; next < count; next += line)
    memref::PrefetchOp::create(build.ops, build.loc, panel.buffer, build.add(from, first + next), /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
}

void TilePrefetch::end() {
  constexpr int64_t worthwhileDepth = 64;
  if (contraction.depthSize() < worthwhileDepth)
    return;
  const ContractionLoop &rows = contraction.rows.back();
  for (unsigned operand = Contraction::Result; operand < contraction.operands.size(); ++operand) {
    if (rows.strides[operand] == 0 || contraction.columns.strides[operand] != 1)
      continue;
    const int64_t line = kLineBytes / bytesOfElement(contraction.operands[operand].elementType);
    for (int64_t row = 0; row < shape.rows; ++row) {
      Value first = build.add(at[operand], row * rows.strides[operand]);
      for (int64_t column = 0; column < shape.columns; column += line)
        memref::PrefetchOp::create(build.ops, build.loc, buffers[contraction.operands[operand].argument],
                                   build.add(first, column),
                                   /*isWrite=*/llvm::is_contained(contraction.results, operand), /*localityHint=*/3,
                                   /*isDataCache=*/true);
    }
  }
}

void TilePrefetch::panelFrom(Value rhs, int64_t steps) {
  const int64_t bytes = bytesOfElement(columnType());
  // True if the weight is so large that no cache still holds it from the previous run.
  const bool isLarge =
      contraction.depthSize() * contraction.columns.size * bytes >= int64_t(shape.machine.costs.model->lastBytes);
  if (!isLarge || !shapeOf(contraction).isSingleRow() || contraction.right || contraction.isOfIntegers() ||
      shape.machine.memory.prefetchBytes == 0 ||
      buffers[contraction.operands[Contraction::Rhs].argument] != panel.buffer)
    return;
  ask(rhs, shape.machine.memory.prefetchBytes / bytes, steps * panel.strides.back());
}

void TilePrefetch::ahead(Value from, int64_t steps) {
  if (from)
    ask(from, 0, steps * part.aheadStride);
}

} // namespace nacre::codegen::cpu
