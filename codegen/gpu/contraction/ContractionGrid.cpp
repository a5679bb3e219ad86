// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/gpu/contraction/ContractionGrid.h"

#include "codegen/gpu/InlineBody.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::gpu {

using Cut = LoopedContraction::Cut;

ContractionGrid::ContractionGrid(KernelFunction &function, const LoopedContraction &contraction,
                                 const std::optional<Panels> &panels, unsigned widest, bool mayTurn,
                                 const WordProduct *words)
    : function(function), contraction(contraction), build(function.builder, function.loc), panels(panels), words(words),
      pairs(words && words->hasPairs && panels->width % 4 == 0 &&
            function.liesInVectors(contraction.operands[Contraction::Rhs].argument, 16)),
      grain(contraction.kernel->grain) {
  for (unsigned operand = 0; operand < contraction.operands.size(); ++operand) {
    const bool isMade = contraction.prologue && contraction.prologue->reads(operand);
    const bool wide = (operand <= Contraction::Rhs || isMade) &&
                      contraction.operands[operand].elementType.getIntOrFloatBitWidth() * widest <= 128;
    Reach reach = Reach::Element;
    unsigned width = wide ? widest : 4;
    if (words && words->joinedBytes > 0 && operand == Contraction::Lhs)
      width = 1;
    for (; width >= 4; width /= 2) {
      reach = chooseReach(operand, width);
      if (reach == Reach::Element && operand == Contraction::Lhs && mayTurn && liesInRows(width))
        reach = Reach::Rows;
      if (reach == Reach::Element && operand == Contraction::Rhs && mayTurn && liesInSteps(width))
        reach = Reach::Depth;
      if (reach != Reach::Element)
        break;
    }
    if (reach == Reach::Element && operand == Contraction::Lhs && pairs && words->joinedBytes == 0 && !words->overlap) {
      width = 2;
      reach = chooseReach(operand, width);
    }
    reaches.push_back(reach);
    widths.push_back(reach == Reach::Element ? 1 : width);
  }
}

//===----------------------------------------------------------------------===//
// Reach
//===----------------------------------------------------------------------===//

/// True if `operand` is an input of the computation of the left operand, or the copy of the left operand in memory.
bool ContractionGrid::makesLeft(unsigned operand) const {
  const std::optional<ContractionPrologue> &prologue = contraction.prologue;
  return prologue && (prologue->reads(operand) || prologue->written == operand);
}

/// True if every element with index 0 of the loop `along` is at a multiple of `width`.
bool ContractionGrid::liesInGroups(unsigned operand, const ContractionLoop *along, unsigned width) const {
  const ContractionOperand &array = contraction.operands[operand];
  const unsigned elements = isOfWords(operand) ? 4 * width : width;
  if (array.offset % width != 0 || !function.liesInVectors(array.argument, elements) ||
      array.elementType.getIntOrFloatBitWidth() > 32)
    return false;
  auto fits = [&](const ContractionLoop &loop) {
    return &loop == along || loop.size == 1 || loop.strides[operand] % width == 0;
  };
  if (operand == Contraction::Rhs && panels)
    return panels->width % width == 0 && panels->k == 1;
  if (contraction.prologue)
    for (const ContractionPrologue::Tap &tap : contraction.prologue->taps)
      if ((operand == Contraction::Lhs && tap.lhs % width != 0) ||
          (operand == contraction.prologue->filter && tap.filter % width != 0))
        return false;
  return llvm::all_of(contraction.outer, fits) && llvm::all_of(contraction.rows, fits) &&
         llvm::all_of(contraction.depth, fits) && fits(contraction.columns);
}

/// True if rows of Lhs are contiguous in groups of `width`, and tiles and shares begin with a whole group.
bool ContractionGrid::liesInRows(unsigned width) const {
  const ContractionLoop &run = contraction.rows.back();
  const bool sharesBeginSo =
      contraction.cut != Cut::Rows || iterationsOf(tiledRows()) / contraction.cutExtent % int64_t(width) == 0;
  return !contraction.prologue && run.strides[Contraction::Lhs] == 1 && run.size % width == 0 && sharesBeginSo &&
         liesInGroups(Contraction::Lhs, &run, width);
}

/// True if steps of Rhs are contiguous in groups of `width`.
bool ContractionGrid::liesInSteps(unsigned width) const {
  const ContractionLoop &run = contraction.depth.back();
  return !panels && contraction.columns.strides[Contraction::Rhs] != 0 && run.strides[Contraction::Rhs] == 1 &&
         run.size % width == 0 && liesInGroups(Contraction::Rhs, &run, width);
}

Reach ContractionGrid::chooseReach(unsigned operand, unsigned width) const {
  const ContractionLoop &columns = contraction.columns, &depth = contraction.depth.back();
  const bool packed = operand == Contraction::Rhs && panels;
  // A share of the columns may begin at any multiple of the grain. Weights can be read from the preceding multiple of
  // four, because reading more columns is harmless.
  const bool aligned =
      contraction.cut != Cut::Columns || grain % width == 0 || (operand == Contraction::Rhs && width == 4);
  if ((packed || (columns.strides[operand] == 1 && columns.size % width == 0)) && aligned &&
      liesInGroups(operand, &columns, width))
    return Reach::Columns;
  if ((operand == Contraction::Lhs || makesLeft(operand)) && depth.strides[operand] == 1 && depth.size % width == 0 &&
      liesInGroups(operand, &depth, width))
    return Reach::Depth;
  return Reach::Element;
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

ArrayRef<ContractionLoop> ContractionGrid::tiledRows() const {
  return ArrayRef(contraction.rows).drop_front(contraction.cut == Cut::Rows ? contraction.cutLoop : 0);
}

constexpr int64_t kMostGroups = 65535;

bool ContractionGrid::divide(int64_t tileRows, int64_t tileColumns, int64_t band) {
  // 1. Compute the sizes.
  const int64_t rows = iterationsOf(tiledRows()),
                rowsPerIndex = contraction.cut == Cut::Rows ? rows / contraction.cutExtent : 1;
  SmallVector<const ContractionLoop *> blocks;
  int64_t blockCount = 1;
  auto addBlock = [&](const ContractionLoop &loop) {
    blocks.push_back(&loop);
    blockCount *= loop.size;
  };
  for (auto [number, loop] : llvm::enumerate(contraction.outer))
    if (contraction.cut != Cut::Outer || contraction.cutLoop != number)
      addBlock(loop);
  for (const ContractionLoop &loop : ArrayRef(contraction.rows).drop_back(tiledRows().size()))
    addBlock(loop);
  const bool aligned = contraction.cut != Cut::Columns || grain % 4 == 0;
  const int64_t columns = contraction.columns.size + (aligned ? 0 : 3);
  const int64_t columnTiles = llvm::divideCeil(columns, tileColumns);
  const int64_t iterations = contraction.cut == Cut::Outer ? contraction.cutFactor : 1;
  int64_t extent = contraction.cut == Cut::Outer ? 1 : contraction.cutExtent;
  auto rowTiles = [&] {
    return llvm::divideCeil(contraction.cut == Cut::Rows ? extent * rowsPerIndex : rows, tileRows);
  };
  // A row of workgroups may be the whole axis. Tiles beyond the share return immediately.
  auto groups = [&] { return columnTiles * rowTiles() * iterations * blockCount; };
  while (contraction.cut == Cut::Rows && extent > 1 && groups() > kMostGroups)
    extent = llvm::divideCeil(extent, 2);
  if (groups() > kMostGroups || llvm::divideCeil(contraction.cutExtent, extent) > uint64_t(kMostGroups))
    return declineGroups();
  function.unitExtent = extent;
  function.groups = groups();
  function.flops = 2 * contraction.multiplyAdds();

  // 2. Find the workgroup's tile.
  Value left = function.group;
  auto take = [&](int64_t count) {
    Value index = build.remainder(left, count);
    left = build.divide(left, count);
    return index;
  };
  while (rowTiles() % band != 0)
    --band;
  Value rowInBand = take(band), columnTile = take(columnTiles);
  Value rowTile = build.add(build.multiply(take(rowTiles() / band), band), rowInBand), iteration = take(iterations);
  for (unsigned operand = 0; operand < contraction.operands.size(); ++operand)
    bases.push_back(build.constant(scaled(operand, contraction.operands[operand].offset)));
  auto advance = [&](const ContractionLoop &loop, Value index) {
    for (unsigned operand = 0; operand < bases.size(); ++operand)
      bases[operand] = build.add(bases[operand], build.multiply(index, scaled(operand, loop.strides[operand])));
  };
  for (const ContractionLoop *loop : llvm::reverse(blocks))
    advance(*loop, take(loop->size));

  Value low = build.add(function.shareBegin, build.multiply(function.row, extent));
  Value high = build.least(build.add(low, extent), function.shareEnd);
  if (contraction.cut == Cut::Outer)
    advance(contraction.outer[contraction.cutLoop], build.add(build.multiply(low, contraction.cutFactor), iteration));
  enoughRows = rows >= tileRows;
  Value tileRow = build.multiply(rowTile, tileRows);
  if (contraction.cut == Cut::Rows) {
    firstRow = build.add(build.multiply(low, rowsPerIndex), tileRow);
    rowLimit = build.multiply(high, rowsPerIndex);
    active = build.isBelow(firstRow, rowLimit);
  } else {
    exactRows = rows % tileRows == 0;
    firstRow = tileRow;
    rowLimit = build.constant(rows);
  }
  writtenFrom = firstRow;
  if (enoughRows && !exactRows)
    firstRow = build.least(firstRow, build.constant(rows - tileRows));
  firstQuad = build.multiply(columnTile, tileColumns / 4);
  if (contraction.cut == Cut::Columns) {
    firstQuad = build.add(build.divide(low, 4), firstQuad);
    columnLow = low;
    columnLimit = high;
    active = build.isBelow(build.multiply(firstQuad, 4), high);
  } else {
    exactColumns = contraction.columns.size % tileColumns == 0;
    columnLimit = build.constant(contraction.columns.size);
  }
  return true;
}

bool ContractionGrid::divideInto(int64_t rowTiles, int64_t tileColumns) {
  assert(contraction.outer.empty() && contraction.cut != Cut::Columns && tiledRows().size() == contraction.rows.size());
  const int64_t columnTiles = llvm::divideCeil(contraction.columns.size, tileColumns);
  if (rowTiles * columnTiles > kMostGroups)
    return declineGroups();
  function.unitExtent = contraction.cutExtent;
  function.groups = rowTiles * columnTiles;
  function.flops = 2 * contraction.multiplyAdds();
  rowTile = build.divide(function.group, columnTiles);
  firstQuad = build.multiply(build.remainder(function.group, columnTiles), tileColumns / 4);
  for (unsigned operand = 0; operand < contraction.operands.size(); ++operand)
    bases.push_back(build.constant(scaled(operand, contraction.operands[operand].offset)));
  const int64_t rows = iterationsOf(contraction.rows),
                perIndex = contraction.cut == Cut::Rows ? rows / contraction.cutExtent : 0;
  writtenFrom = build.multiply(function.shareBegin, perIndex);
  rowLimit = perIndex > 0 ? build.multiply(function.shareEnd, perIndex) : build.constant(rows);
  enoughRows = true;
  exactColumns = contraction.columns.size % tileColumns == 0;
  columnLimit = build.constant(contraction.columns.size);
  return true;
}

} // namespace nacre::codegen::gpu
