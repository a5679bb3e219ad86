// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits kernels that write an array into panels. The array is a right operand that is not a weight, and later
//        contractions read the panels.
// Why:   a unit of a contraction that packs its own panels should have all rows, and would pack again in each iteration
//        of a loop. The kernel can transpose or reverse the operand in the same pass.
// How:   1. the kernel has one operation that moves its input in any order. The result is in panels, and the input may
//           be in panels, too;
//        2. a unit is some panels. Their rows are copied, or transposed in registers if the input is contiguous from
//           row to row (PackColumns.h).

#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/Units.h"
#include "codegen/cpu/panels/PackColumns.h"
#include "dialects/StoredBytes.h"
#include "dialects/plan/PlanDialect.h"

#include "codegen/form/KernelForm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::codegen::cpu {

namespace {

/// Loop over rows of the panels: its size, and the number of elements between iterations in the input and in the
/// output.
struct RowLoop {
  int64_t size = 1, read = 0, written = 0;
};

/// Rows that are a constant distance apart in the input.
struct RowBox {
  int64_t read = 0, written = 0; ///< Offsets of the first row
  SmallVector<RowLoop> loops;
};

class PackEmitter {
public:
  explicit PackEmitter(KernelFunction &function) : function(function), build(function) {}

  LogicalResult read(plan::KernelOp kernel);
  void emit();

private:
  LogicalResult readPlain(const Work &work);
  LogicalResult readPanels(const Work &work, const plan::EncodingAttr &encoding, RankedTensorType type);
  void emitPanel(Position panel, int64_t count);
  void emitRows(const RowBox &box, ArrayRef<RowLoop> outer, const RowLoop &inner, int64_t count, Value from, Value to);

  KernelFunction &function;
  VectorBuilder build;
  Type element;
  int64_t columns = 0, columnStride = 0; ///< Number of columns of the input, and the distance between them
  int64_t width = 0, panelStride = 0;    ///< Number of columns of an output's panel, and the distance between panels
  SmallVector<RowLoop> rows;             ///< Row loops of the kernel
  SmallVector<RowBox, 2> boxes;
};

//===----------------------------------------------------------------------===//
// 1. What is read and written
//===----------------------------------------------------------------------===//

LogicalResult PackEmitter::read(plan::KernelOp kernel) {
  const plan::EncodingAttr written = kernel.getEncoding(kernel.getNumInputs());
  if (!written || written.getKind() != plan::EncodingKind::Panel)
    return failure();
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form) || form->work.size() != 1 || form->written.size() != 1 || form->written.front().haloValue)
    return failure();
  const Work &work = form->work.front();
  const bool isMove = work.allParallel() && work.inputs.size() == 1 && work.results.size() == 1 &&
                      work.inputs.front().source == Input::Source::Storage &&
                      work.inputs.front().access.padded.empty() &&
                      work.body->getTerminator()->getOperand(0) == work.body->getArgument(0);
  if (!isMove || written.getGroups() != 1 || written.getParts() != 1 || work.loops() == 0 ||
      !work.results.front().map.isIdentity())
    return failure();
  auto type = cast<RankedTensorType>(kernel.getBody().getArgument(kernel.getNumInputs()).getType());
  if (ArrayRef(work.sizes) != type.getShape() || form->cutAxis + 1 != work.loops())
    return failure();

  element = type.getElementType();
  columns = type.getShape().back();
  width = written.getWidth();
  int64_t stride = width;
  for (int64_t size : llvm::reverse(type.getShape().drop_back())) {
    rows.insert(rows.begin(), {size, 0, stride});
    stride *= size;
  }
  panelStride = stride;
  const plan::EncodingAttr encoding = kernel.getEncoding(0);
  if (encoding && encoding.getKind() == plan::EncodingKind::Panel)
    return readPanels(work, encoding, cast<RankedTensorType>(kernel.getBody().getArgument(0).getType()));
  return readPlain(work);
}

LogicalResult PackEmitter::readPlain(const Work &work) {
  const Access &access = work.inputs.front().access;
  for (auto [row, stride] : llvm::zip_equal(rows, ArrayRef(access.strides).drop_back()))
    row.read = stride;
  columnStride = access.strides.back();
  boxes.push_back({access.offset, 0, rows});
  return success();
}

/// Splits a row loop along the columns of an input that is in panels. One box has the whole panels, and another the
/// shorter last panel.
LogicalResult PackEmitter::readPanels(const Work &work, const plan::EncodingAttr &encoding, RankedTensorType type) {
  FailureOr<SmallVector<WalkedAxis>> axes = walkAxes(work.inputs.front().map);
  if (failed(axes) || !isa<BlockArgument>(work.op->getOperand(0)) || encoding.getGroups() != 1 ||
      encoding.getParts() != 1)
    return failure();
  const int64_t wide = encoding.getWidth();
  int64_t stride = wide, offset = 0;
  SmallVector<int64_t> strides(work.loops(), 0);
  for (unsigned axis = axes->size() - 1; axis-- > 0; stride *= type.getDimSize(axis)) {
    offset += (*axes)[axis].constant * stride;
    for (auto [loop, coefficient] : llvm::enumerate((*axes)[axis].coefficients))
      strides[loop] += coefficient * stride;
  }
  std::optional<unsigned> across;
  for (auto [loop, coefficient] : llvm::enumerate(axes->back().coefficients)) {
    if (coefficient == 0)
      continue;
    if (across || coefficient != 1 || axes->back().constant != 0 || loop + 1 == work.loops())
      return failure();
    across = loop;
  }
  if (!across)
    return failure();
  for (auto [row, read] : llvm::zip_equal(rows, ArrayRef(strides).drop_back()))
    row.read = read;
  columnStride = strides.back();

  const RowLoop along = rows[*across];
  const int64_t whole = along.size / wide, rest = along.size % wide;
  if (whole > 0) {
    RowBox &box = boxes.emplace_back(RowBox{offset, 0, rows});
    box.loops[*across] = {whole, stride, wide * along.written};
    box.loops.push_back({wide, 1, along.written});
  }
  if (rest > 0) {
    RowBox &box = boxes.emplace_back(RowBox{offset + whole * stride, whole * wide * along.written, rows});
    box.loops[*across] = {rest, 1, along.written};
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 2. Units
//===----------------------------------------------------------------------===//

void PackEmitter::emit() {
  const int64_t panels = llvm::divideCeil(columns, width), whole = columns / width;
  const double panelCost = 2.0 * panelStride * bytesOfElement(element) / build.target.model.memoryBytesPerNanosecond();
  const int64_t together = int64_t(std::clamp(std::ceil(kUnitNanoseconds / panelCost), 1.0, double(panels)));
  const int64_t panelsOfUnit = evenExtent(panels, together, 1, together);
  function.unitExtent = panelsOfUnit * width;
  function.unitCost = panelCost * panelsOfUnit;
  emitUnits(build, function, [&](Value low, Value high, Value) {
    Value first = build.divide(low, width), behind = build.divide(build.add(high, width - 1), width);
    build.loop(first, emitMin(build, behind, build.index(whole)), 1, [&](Position panel) { emitPanel(panel, width); });
    if (whole < panels)
      build.loop(emitMax(build, first, build.index(whole)), behind, 1,
                 [&](Position panel) { emitPanel(panel, columns - whole * width); });
  });
}

void PackEmitter::emitPanel(Position panel, int64_t count) {
  for (const RowBox &box : boxes) {
    // The innermost loop is the loop along which the input is contiguous, or the last one if there is no such loop.
    SmallVector<RowLoop> outer(box.loops);
    RowLoop inner;
    if (!outer.empty()) {
      auto *found = &outer.back();
      for (RowLoop &loop : outer)
        if (columnStride != 1 && loop.read == 1 && (found->read != 1 || loop.size > found->size))
          found = &loop;
      inner = *found;
      outer.erase(found);
    }
    emitRows(box, outer, inner, count, build.address({panel}, {width * columnStride}, box.read),
             build.address({panel}, {panelStride}, box.written));
  }
}

void PackEmitter::emitRows(const RowBox &box, ArrayRef<RowLoop> outer, const RowLoop &inner, int64_t count, Value from,
                           Value to) {
  if (outer.empty()) {
    packRows(build, {function.buffers[0], from}, {inner.size, inner.read}, {count, columnStride},
             {function.buffers[1], to, inner.written, width, /*filled=*/true}, element);
    return;
  }
  const RowLoop &loop = outer.front();
  build.loop(0, loop.size, 1, [&](Position iteration) {
    emitRows(box, outer.drop_front(), inner, count, build.address({{from, 0}, iteration}, {1, loop.read}, 0),
             build.address({{to, 0}, iteration}, {1, loop.written}, 0));
  });
}

} // namespace

LogicalResult emitPack(plan::KernelOp kernel, KernelFunction &function) {
  PackEmitter emitter(function);
  if (failed(emitter.read(kernel)))
    return failure();
  emitter.emit();
  return success();
}

} // namespace nacre::codegen::cpu
