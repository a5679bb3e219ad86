// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/MachineRows.h"

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/tiles/BfloatRows.h"
#include "codegen/cpu/tiles/CoreRows.h"
#include "codegen/cpu/tiles/IntegerRows.h"
#include "codegen/cpu/tiles/MatrixTile.h"
#include "codegen/form/ContractionForm.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

namespace nacre::codegen::cpu {
namespace {

/// Returns a row of 256 bits with the registers of AVX-512.
constexpr MachineRow avx512HalfRow() {
  MachineRow row = rowOf(kAvx512HalfCore, "vcvtph2ps ymm, vfmadd231ps ymm", {Number::F32, Number::F16, Number::F32});
  row.geometry.isForSingleRows = true;
  return row;
}

/// Returns a row of halves. A sum of 64 steps takes `flushCycles` cycles to be added to the fp32 sums in memory: two
/// conversions, two additions, a pair of loads and a pair of stores for each register.
constexpr MachineRow halvesRow(const Core &core, const char *instruction, double flushCycles) {
  constexpr int64_t leastSteps = 16, usualSteps = 64;
  MachineRow row = rowOf(core, instruction, halvesOf(leastSteps));
  row.step.needs |= NACRE_CPU_NEED(NACRE_ARM64_FP16);
  row.geometry.registersOfElements = 16; // An element of 16 bits is addressed with one bit less of its register.
  row.step.multiplyAdds = 1 + flushCycles / (usualSteps * core.costs.multiplyAdd);
  return row;
}

constexpr MachineRow kFloatRows[] = {
    rowOf(kSseCore, "mulps, addps", kSingles),
    rowOf(kSseCore, "mulpd, addpd", kDoubles),
    rowOf(kAvx2Core, "vfmadd231ps ymm", kSingles),
    rowOf(kAvx2Core, "vfmadd231pd ymm", kDoubles),
    rowOf(kAvx512Core, "vfmadd231ps zmm", kSingles),
    rowOf(kAvx512Core, "vfmadd231pd zmm", kDoubles),
    avx512HalfRow(),
    rowOf(kBigNeonCore, "fmla .4s", kSingles),
    rowOf(kBigNeonCore, "fmla .2d", kDoubles),
    rowOf(kLittleNeonCore, "fmla .4s, in order", kSingles),
    rowOf(kLittleNeonCore, "fmla .2d, in order", kDoubles),
    halvesRow(kBigNeonCore, "fmla .8h", /*flushCycles=*/5),
    halvesRow(kLittleNeonCore, "fmla .8h, in order", /*flushCycles=*/12),
};

} // namespace

mlir::Value multiplyAddFloats(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums) {
  return mlir::vector::FMAOp::create(build.ops, build.loc, lhs, rhs, sums);
}

llvm::ArrayRef<MachineRow> machineRows() {
  static const std::vector<MachineRow> rows = [] {
    std::vector<MachineRow> all(std::begin(kFloatRows), std::end(kFloatRows));
    llvm::append_range(all, bfloatRows());
    llvm::append_range(all, integerRows());
    return all;
  }();
  return rows;
}

bool MachineRow::multiplies(const ProductTypes &others) const {
  const ProductTypes &types = step.types;
  const bool widens = types.rhs == Number::F32 && (others.rhs == Number::F16 || others.rhs == Number::BF16);
  const bool hasRows = types.lhs == others.lhs || (readsWideRows() && bytesOf(others.lhs) == 1) ||
                       (types.lhs == Number::F32 && others.lhs == Number::F16);
  return hasRows && (types.rhs == others.rhs || widens) && types.sum == others.sum && types.k == others.k &&
         (others.pairsFit || !types.pairsFit) && types.shortSums <= others.shortSums;
}

const MachineRow *bestRow(llvm::ArrayRef<MachineRow> rows, uint64_t has, const ProductTypes &types, bool isSingleRow,
                          bool inOrder) {
  auto products = [&](const MachineRow &row) {
    return isSingleRow ? row.productsPerCycle(types.rhs) : row.productsPerCycle();
  };
  const MachineRow *best = nullptr;
  for (const MachineRow &row : rows)
    if (row.multiplies(types) && row.costs.inOrder == inOrder &&
        (isSingleRow ? !row.isOfMatrices() : !row.geometry.isForSingleRows) && (row.step.needs & ~has) == 0 &&
        (!best || products(row) > products(*best)))
      best = &row;
  return best;
}

const MachineRow &machineOf(const Target &target, const ProductTypes &types, bool isSingleRow) {
  const MachineRow *row = bestRow(machineRows(), target.needs, types, isSingleRow, target.inOrder);
  assert(row && "parseContraction lets no other types through");
  return *row;
}

const MachineRow &machineOf(const Target &target, const LoopedContraction &contraction, mlir::Type columns,
                            int64_t width) {
  const bool isSingleRow = shapeOf(contraction).isSingleRow();
  ProductTypes types = *productsOf(contraction, columns, contraction.groups.k);
  const MachineRow &row = machineOf(target, types, isSingleRow);
  if (row.isOfMatrices() && !suitsMatrices(contraction))
    return *bestRow(machineRows(), target.needs & ~kMatrixNeeds, types, isSingleRow, target.inOrder);
  if (!row.hasShortSums() || width % row.step.lanes == 0)
    return row;
  // A register would reach beyond the panel, which has as many columns as a row of f32 takes.
  types.shortSums = 0;
  return machineOf(target, types, isSingleRow);
}

} // namespace nacre::codegen::cpu
