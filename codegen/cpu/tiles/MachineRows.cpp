// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/tiles/MachineRows.h"

#include "codegen/cpu/VectorBuilder.h"
#include "codegen/cpu/tiles/CoreRows.h"
#include "codegen/cpu/tiles/IntegerRows.h"
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
};

} // namespace

mlir::Value multiplyAddFloats(VectorBuilder &build, mlir::Value lhs, mlir::Value rhs, mlir::Value sums) {
  return mlir::vector::FMAOp::create(build.ops, build.loc, lhs, rhs, sums);
}

llvm::ArrayRef<MachineRow> machineRows() {
  static const std::vector<MachineRow> rows = [] {
    std::vector<MachineRow> all(std::begin(kFloatRows), std::end(kFloatRows));
    llvm::append_range(all, integerRows());
    return all;
  }();
  return rows;
}

bool MachineRow::multiplies(const ProductTypes &others) const {
  const ProductTypes &types = step.types;
  const bool widens = types.rhs == Number::F32 && (others.rhs == Number::F16 || others.rhs == Number::BF16);
  const bool hasRows = types.lhs == others.lhs || (readsWideRows() && bytesOf(others.lhs) == 1);
  return hasRows && (types.rhs == others.rhs || widens) && types.sum == others.sum && types.k == others.k &&
         (others.pairsFit || !types.pairsFit);
}

const MachineRow *bestRow(llvm::ArrayRef<MachineRow> rows, uint64_t has, const ProductTypes &types, bool isSingleRow,
                          bool inOrder) {
  auto products = [&](const MachineRow &row) {
    return isSingleRow ? row.productsPerCycle(types.rhs) : row.productsPerCycle();
  };
  const MachineRow *best = nullptr;
  for (const MachineRow &row : rows)
    if (row.multiplies(types) && row.costs.inOrder == inOrder && (isSingleRow || !row.geometry.isForSingleRows) &&
        (row.step.needs & ~has) == 0 && (!best || products(row) > products(*best)))
      best = &row;
  return best;
}

const MachineRow &machineOf(const Target &target, const ProductTypes &types, bool isSingleRow) {
  const MachineRow *row = bestRow(machineRows(), target.needs, types, isSingleRow, target.inOrder);
  assert(row && "parseContraction lets no other types through");
  return *row;
}

const MachineRow &machineOf(const Target &target, const LoopedContraction &contraction, mlir::Type columns) {
  return machineOf(target, *productsOf(contraction, columns, contraction.groups.k), shapeOf(contraction).isSingleRow());
}

} // namespace nacre::codegen::cpu
