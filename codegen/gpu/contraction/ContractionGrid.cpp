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
                                 const std::optional<Panels> &panels, unsigned widest, bool mayTurn)
    : function(function), contraction(contraction), build(function.builder, function.loc), panels(panels),
      grain(contraction.kernel->grain) {
  for (unsigned operand = 0; operand < contraction.operands.size(); ++operand) {
    const bool isMade = contraction.prologue && contraction.prologue->reads(operand);
    const bool wide = (operand <= Contraction::Rhs || isMade) &&
                      contraction.operands[operand].elementType.getIntOrFloatBitWidth() * widest <= 128;
    Reach reach = Reach::Element;
    unsigned width = wide ? widest : 4;
    for (; width >= 4; width /= 2) {
      reach = chooseReach(operand, width);
      if (reach == Reach::Element && operand == Contraction::Lhs && mayTurn && liesInRows(width))
        reach = Reach::Rows;
      if (reach == Reach::Element && operand == Contraction::Rhs && mayTurn && liesInSteps(width))
        reach = Reach::Depth;
      if (reach != Reach::Element)
        break;
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
  if (array.offset % width != 0 || !function.liesInVectors(array.argument, width) ||
      array.elementType.getIntOrFloatBitWidth() > 32)
    return false;
  auto fits = [&](const ContractionLoop &loop) {
    return &loop == along || loop.size == 1 || loop.strides[operand] % width == 0;
  };
  if (operand == Contraction::Rhs && panels)
    return panels->width % width == 0;
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

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Returns the address of iteration `flat` of the nested `loops`. The last loop is counted in groups of `step`
/// iterations.
Value ContractionGrid::addressOf(unsigned operand, ArrayRef<ContractionLoop> loops, Value flat, int64_t step) {
  Value address = build.constant(0);
  for (unsigned level = loops.size(); level-- > 0;) {
    const ContractionLoop &loop = loops[level];
    const bool last = level + 1 == loops.size();
    const int64_t iterations = last ? loop.size / step : loop.size, stride = loop.strides[operand] * (last ? step : 1);
    Value index = level == 0 ? flat : build.remainder(flat, iterations);
    address = build.add(address, build.multiply(index, scaled(operand, stride)));
    if (level != 0)
      flat = build.divide(flat, iterations);
  }
  return address;
}

Value ContractionGrid::rowAddress(unsigned operand, Value row, int64_t further) {
  if (reaches[operand] == Reach::Rows)
    return addressOf(operand, tiledRows(), build.divide(build.add(row, further), width(operand)), width(operand));
  if (tiledRows().size() > 1)
    return addressOf(operand, tiledRows(), build.add(row, further), 1);
  const int64_t stride = scaled(operand, tiledRows().front().strides[operand]);
  return build.add(build.multiply(row, stride), further * stride);
}

Value ContractionGrid::tileRowAddress(unsigned operand, Value row, int64_t further) {
  row = build.add(firstRow, row);
  if (enoughRows)
    return rowAddress(operand, row, further);
  return rowAddress(operand, build.least(build.add(row, further), build.subtract(rowLimit, build.constant(1))));
}

Value ContractionGrid::depthAddress(unsigned operand, Value step) {
  if (std::optional<int64_t> stride = linearDepth(operand))
    return build.multiply(step, *stride);
  if (reaches[operand] == Reach::Depth)
    return addressOf(operand, contraction.depth, build.divide(step, width(operand)), width(operand));
  return addressOf(operand, contraction.depth, step, 1);
}

std::optional<int64_t> ContractionGrid::linearDepth(unsigned operand) const {
  if (reaches[operand] == Reach::Depth)
    return std::nullopt;
  ArrayRef<ContractionLoop> loops = contraction.depth;
  for (unsigned level = 0; level + 1 < loops.size(); ++level)
    if (loops[level].strides[operand] != loops[level + 1].strides[operand] * loops[level + 1].size)
      return std::nullopt;
  return scaled(operand, loops.back().strides[operand]);
}

Value ContractionGrid::columnAddress(unsigned operand, Value quad, unsigned lane) {
  const bool several = reaches[operand] == Reach::Columns;
  if (operand == Contraction::Rhs && panels) {
    const int64_t panel = panels->width, unit = width(operand);
    Value column = several ? quad : build.add(build.multiply(quad, 4), lane);
    return build.add(build.multiply(build.divide(column, panel / unit), panels->stride / unit),
                     build.remainder(column, panel / unit));
  }
  if (several)
    return quad;
  return build.multiply(build.add(build.multiply(quad, 4), lane),
                        scaled(operand, contraction.columns.strides[operand]));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ContractionGrid::load(unsigned operand, Value address) {
  return memref::LoadOp::create(build.ops, build.loc,
                                function.buffer(contraction.operands[operand].argument, width(operand)),
                                ValueRange{address});
}

Value ContractionGrid::loadQuad(unsigned operand, Value address, Value quad) {
  if (reaches[operand] == Reach::Columns)
    return load(operand, build.add(address, columnAddress(operand, quad, 0)));
  if (contraction.columns.strides[operand] == 0 && !(operand == Contraction::Rhs && panels))
    return broadcast(build.ops, build.loc, load(operand, address), 4);
  SmallVector<Value, 4> lanes;
  const int64_t last = contraction.columns.size - 1;
  for (unsigned lane = 0; lane < 4; ++lane) {
    Value column = build.least(build.add(build.multiply(quad, 4), lane), build.constant(last));
    Value at = build.multiply(column, contraction.columns.strides[operand]);
    if (operand == Contraction::Rhs && panels)
      at = build.add(build.multiply(build.divide(column, panels->width), panels->stride),
                     build.remainder(column, panels->width));
    lanes.push_back(load(operand, build.add(address, at)));
  }
  return vector::FromElementsOp::create(build.ops, build.loc, VectorType::get({4}, lanes.front().getType()), lanes);
}

Value ContractionGrid::loadStep(Value step, bool mayLieBeyond, llvm::function_ref<Value(Value)> load) {
  return mayLieBeyond ? zeroBeyond(step, load(someStep(step))) : load(step);
}

Value ContractionGrid::someStep(Value step) {
  Value inside = build.isBelow(step, build.constant(contraction.depthSize()));
  return arith::SelectOp::create(build.ops, build.loc, inside, step, build.constant(0));
}

Value ContractionGrid::zeroBeyond(Value step, Value value) {
  Value inside = build.isBelow(step, build.constant(contraction.depthSize()));
  Type type = value.getType();
  if (auto vector = dyn_cast<VectorType>(type))
    inside = vector::BroadcastOp::create(build.ops, build.loc, vector.clone(build.ops.getI1Type()), inside);
  Value zero = arith::ConstantOp::create(build.ops, build.loc, build.ops.getZeroAttr(type));
  return arith::SelectOp::create(build.ops, build.loc, inside, value, zero);
}

LeftSource::Values ContractionGrid::makeLeft(ValueRange row, Value step, int64_t quads, bool mayLieBeyond) {
  const int64_t size = contraction.depthSize();
  auto isInside = [&](int64_t further) { return build.isBelow(build.add(step, further), build.constant(size)); };
  Value first = mayLieBeyond ? someStep(step) : step;
  const LeftSource::Values shared = left->loadShared(first, quads), own = left->load(row, first, quads);
  LeftSource::Values made = left->make(row, shared, own, quads);
  if (!mayLieBeyond)
    return made;
  for (auto [number, quad] : llvm::enumerate(made)) {
    SmallVector<Value, 4> inside;
    for (int64_t lane = 0; lane < 4; ++lane)
      inside.push_back(isInside(4 * number + lane));
    auto type = cast<VectorType>(quad.getType());
    Value mask = vector::FromElementsOp::create(build.ops, build.loc, type.clone(build.ops.getI1Type()), inside);
    Value zero = arith::ConstantOp::create(build.ops, build.loc, build.ops.getZeroAttr(type));
    quad = arith::SelectOp::create(build.ops, build.loc, mask, quad, zero);
  }
  return made;
}

Value ContractionGrid::clampedQuad(Value quad, int64_t width) {
  if (exactColumns)
    return quad;
  return build.least(quad, build.constant(llvm::divideCeil(contraction.columns.size, width) - 1));
}

Value ContractionGrid::extended(Value value) {
  if (getElementTypeOrSelf(value.getType()) == accumulator())
    return value;
  if (getElementTypeOrSelf(value.getType()).isInteger())
    value = extendStoredBf16(build.ops, build.loc, value);
  Type type = accumulator();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  if (value.getType() == type)
    return value;
  return arith::ExtFOp::create(build.ops, build.loc, type, value);
}

Value ContractionGrid::zeroQuad() {
  return arith::ConstantOp::create(build.ops, build.loc, build.ops.getZeroAttr(quadType()));
}

} // namespace nacre::codegen::gpu
