// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/contraction/ContractionUnits.h"

#include "codegen/cpu/Units.h"
#include "codegen/cpu/tiles/RowElements.h"
#include "codegen/cpu/tiles/ScratchProduct.h"
#include "codegen/cpu/tiles/TileTables.h"
#include "dialects/StoredBytes.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace nacre::codegen::cpu {
namespace {

using Cut = LoopedContraction::Cut;

/// Smallest number of columns for which widening the rows takes little of a unit's time.
constexpr int64_t kColumnsOfWideRows = 64;

/// Returns the number of rows for one index of the cut axis.
int64_t rowsPerIndex(const MatrixProduct &contraction) {
  if (contraction.cut != Cut::Rows)
    return 1;
  int64_t rows = contraction.cutFactor;
  for (const ContractionLoop &loop : llvm::drop_begin(contraction.rows, contraction.cutLoop + 1))
    rows *= loop.size;
  return rows;
}

/// True if the rows lie side by side in each step of the reduction, and steps are far apart. Each row of a tile would
/// then read one line per step. If a row of the storage is a power of two, these lines share few sets of the caches.
/// Copying requires that the panels stay in the second-level cache while blocks of rows pass.
bool areRowsAcross(const Target &target, const MatrixProduct &contraction, int64_t width) {
  const ContractionOperand &lhs = contraction.operands[Contraction::Lhs];
  constexpr int64_t leastRows = 32;
  const int64_t panelBytes = contraction.depthSize() * contraction.columns.size * bytesOfElement(lhs.elementType);
  return contraction.cut == Cut::Rows && contraction.rows.size() == 1 && contraction.outer.empty() &&
         contraction.panels && contraction.parts == 1 && contraction.columns.size > width &&
         lhs.elementType == contraction.accumulatorType && contraction.rows.front().size >= leastRows &&
         contraction.rows.front().strides[Contraction::Lhs] == 1 &&
         contraction.depth.back().strides[Contraction::Lhs] != 1 && uint64_t(panelBytes) <= target.model.l2Bytes / 2;
}

} // namespace

ContractionUnits divideContraction(const Target &target, const MachineRow &machine, const MatrixProduct &contraction,
                                   bool rowsAreWidened,
                                   llvm::function_ref<bool(int64_t width, int64_t columns)> isReadInPlace) {
  const ContractionShape shape = shapeOf(contraction);
  ContractionUnits units;
  units.width = contraction.panels        ? contraction.panels->width
                : contraction.resultWidth ? contraction.resultWidth
                                          : widthInScratch(target, contraction);
  units.slice = isOfWords(contraction) && contraction.panels ? sliceOfPanel(machine, shape, units.width) : units.width;
  units.rowsAreAcross = areRowsAcross(target, contraction, units.width);
  units.panelsOfUnit = rowsAreWidened ? std::max<int64_t>(1, kColumnsOfWideRows / units.width) : 1;
  if (contraction.cut != Cut::Columns && !units.rowsAreAcross)
    units.parts = llvm::divideCeil(llvm::divideCeil(contraction.columns.size, units.width), units.panelsOfUnit);
  for (auto [number, loop] : llvm::enumerate(contraction.outer))
    if (contraction.cut != Cut::Outer || contraction.cutLoop != number)
      units.parts *= loop.size;

  switch (contraction.cut) {
  case Cut::None:
    units.extent = contraction.cutExtent;
    break;
  case Cut::Outer:
    units.extent = 1;
    break;
  case Cut::Columns:
    units.extent = units.width;
    break;
  case Cut::Rows: {
    const int64_t lhsBytes =
        bytesOfElement(contraction.operands[Contraction::Lhs].elementType) * (rowsAreWidened ? 2 : 1);
    CutShape cut;
    cut.extent = contraction.cutExtent;
    cut.rowsPerIndex = rowsPerIndex(contraction);
    cut.bytesPerIndex =
        contraction.rows[contraction.cutLoop].strides[Contraction::Lhs] * contraction.cutFactor * lhsBytes;
    cut.parts = units.parts;
    const int64_t columns = std::min(units.slice, shape.columns),
                  vectors = shape.parts * llvm::divideCeil(columns, machine.step.lanes);
    const int64_t tile = splitRun(machine, shape.rows, vectors, shape.depth, mostRows(machine, shape, columns)).rows;
    if (units.rowsAreAcross) {
      cut.bytesPerIndex = contraction.cutFactor * contraction.depthSize() * lhsBytes;
      units.extent = chooseBlock(cut, tile, target.model.l2Bytes / 4);
      break;
    }
    // If each unit packs its panel, it should have as many rows as possible.
    const bool isPacked = !contraction.panels && !isReadInPlace(units.width, std::min(units.width, shape.columns));
    units.extent = isPacked ? cut.extent : chooseBlock(cut, tile, target.model.l2Bytes);
    if (units.extent < cut.extent && units.parts > 1 &&
        uint64_t(cut.bytesPerIndex * cut.extent) <= target.model.l2Bytes / 2)
      units.order = cut.extent < kFewIndices ? ContractionUnits::Order::Parts : ContractionUnits::Order::BlocksTogether;
    break;
  }
  }
  return units;
}

double ContractionUnits::nanosecondsOf(const Target &target, const MachineRow &machine,
                                       const MatrixProduct &contraction) const {
  const double units = double(llvm::divideCeil(contraction.cutExtent, extent)) * parts;
  const int64_t rhsBytes = bytesOfElement(contraction.rightType());
  const double panelBytes = double(contraction.depthSize()) * contraction.parts * width * panelsOfUnit * rhsBytes;
  return std::max(machine.nanosecondsOf(2 * contraction.multiplyAdds() / units),
                  panelBytes / target.model.memoryBytesPerNanosecond());
}

} // namespace nacre::codegen::cpu
