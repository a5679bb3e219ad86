// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits any kernel, by upstream bufferization and plain loops, which LLVM's vectorizers improve.
// Why:   a kernel that all other emitters decline must still be correct. The other emitters are tested against this
//        one.
// How:   1. copy the body, and let every written value be computed in its slice (TensorBody.h);
//        2. find the loops along the cut axis;
//        3. bufferize. Intermediate values go to scratch. It has room for one index of the cut axis if only one is in
//           use at a time. Written storages are never copied;
//        4. emit loops, with the contiguous one innermost, inside one loop over the indices of the cut axis.

#include "codegen/KernelNotes.h"
#include "codegen/cpu/Emitters.h"
#include "codegen/cpu/fallback/CutLoops.h"
#include "codegen/cpu/fallback/LinalgLoops.h"
#include "codegen/cpu/fallback/OutputSlices.h"
#include "codegen/cpu/fallback/TensorBody.h"
#include "codegen/form/HaloBoxes.h"
#include "dialects/StoredBytes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nacre;
using namespace nacre::codegen;
using namespace nacre::codegen::cpu;

namespace {

constexpr uint64_t kScratchAlignment = 64;

/// Lowers a kernel from tensors to loops.
class Fallback {
public:
  Fallback(plan::KernelOp kernel, KernelFunction &function)
      : kernel(kernel), function(function), rewriter(function.builder),
        func(cast<func::FuncOp>(function.begin.getParentRegion()->getParentOp())) {}

  LogicalResult run();

private:
  Location loc() const { return function.loc; }
  template <typename Op, typename... Args> auto create(Args &&...args) {
    return Op::create(rewriter, loc(), std::forward<Args>(args)...);
  }
  Value constant(int64_t value) { return create<arith::ConstantIndexOp>(value); }

  void estimate();
  LogicalResult divide();
  LogicalResult bufferize();
  std::optional<int64_t> heldAxis(memref::AllocOp alloc) const;
  Value allocateScratch(memref::AllocOp alloc);
  LogicalResult writeLoops();
  LogicalResult lowerToLoops(linalg::LinalgOp op, Value index);
  LogicalResult fillHalo(const OutputSlice &output, int64_t axis, Value index);
  LogicalResult callLibm();

  plan::KernelOp kernel;
  KernelFunction &function;
  IRRewriter rewriter;
  func::FuncOp func;
  SmallVector<OutputSlice, 1> outputs;
  SmallVector<int64_t> cutAxes; ///< Cut axis of each output's work; empty if the kernel is one unit
};

//===----------------------------------------------------------------------===//
// 2. The cut axis
//===----------------------------------------------------------------------===//

LogicalResult Fallback::divide() {
  SmallVector<Value> written = llvm::map_to_vector(outputs, [](const OutputSlice &output) { return output.work; });
  std::optional<CutLoops> cut = findCutLoops(written, kernel.getCutAxis(), kernel.getCutExtent());
  if (!cut) {
    if (kernel.getGrain() != kernel.getCutExtent())
      return kernel.emitError("must have its cut extent ")
             << kernel.getCutExtent() << " as grain, but has " << kernel.getGrain()
             << ": it cannot be computed index by index of axis " << kernel.getCutAxis()
             << "; likely a missing case in the kernels phase";
    return success();
  }
  cutAxes = cut->axes;
  for (auto [op, loop] : cut->loops)
    op->setAttr(notes::kCutLoop, rewriter.getI64IntegerAttr(loop));
  return success();
}

/// Counts the arithmetic, and guesses the time. LLVM's code for the loops is not known here.
void Fallback::estimate() {
  const MachineModel &model = function.target.model;
  double cycles = 0;
  for (auto op : func.getOps<linalg::LinalgOp>()) {
    double iterations = 1, calls = 0, flops = 0;
    for (int64_t size : op.getStaticLoopRanges())
      iterations *= size;
    for (Operation &scalar : *op.getBlock()) {
      calls += isa_and_nonnull<math::MathDialect>(scalar.getDialect());
      flops += isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(scalar);
    }
    function.flops += iterations * flops;
    cycles += iterations * (model.scalarIterationCycles + calls * model.scalarFunctionCycles);
  }
  const double nanoseconds = cycles / model.gigahertz;
  const bool divided = !cutAxes.empty();
  function.unitExtent = divided ? 1 : kernel.getCutExtent();
  function.unitCost = divided ? nanoseconds / kernel.getCutExtent() : nanoseconds;
}

//===----------------------------------------------------------------------===//
// 3. From tensors to memory
//===----------------------------------------------------------------------===//

/// Returns the value of which `memory` is a view.
Value rootOf(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory;
}

/// Returns the axis of `alloc` along which all users have the same index at a time. `nullopt` if there is no such axis.
std::optional<int64_t> Fallback::heldAxis(memref::AllocOp alloc) const {
  std::optional<int64_t> held;
  for (OpOperand &use : alloc->getUses()) {
    auto work = dyn_cast<linalg::LinalgOp>(use.getOwner());
    auto loop = work ? work->getAttrOfType<IntegerAttr>(notes::kCutLoop) : IntegerAttr();
    if (!loop || cutAxes.empty())
      return std::nullopt;
    std::optional<int64_t> axis = axisOfLoop(work.getMatchingIndexingMap(&use), loop.getInt());
    if (!axis || (held && *held != *axis))
      return std::nullopt;
    held = axis;
  }
  return held;
}

/// Allocates scratch for `alloc`. If all users have the same index along an axis, scratch has room for one index, and
/// all indices share it.
Value Fallback::allocateScratch(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  SmallVector<int64_t> shape(type.getShape());
  const std::optional<int64_t> held = heldAxis(alloc);
  if (held)
    shape[*held] = 1;
  auto kept = MemRefType::get(shape, type.getElementType());
  Value room = create<memref::ViewOp>(kept, function.scratch, constant(function.scratchBytes), ValueRange());
  function.scratchBytes += llvm::alignTo(storedBytes(kept), kScratchAlignment);
  if (!held)
    return room;
  SmallVector<int64_t> strides = computeStrides(shape);
  strides[*held] = 0;
  auto layout = StridedLayoutAttr::get(rewriter.getContext(), /*offset=*/0, strides);
  return create<memref::ReinterpretCastOp>(MemRefType::get(type.getShape(), type.getElementType(), layout), room,
                                           /*offset=*/0, type.getShape(), strides);
}

LogicalResult Fallback::bufferize() {
  bufferization::OneShotBufferizationOptions options;
  bufferization::BufferizationState state;
  if (failed(bufferization::runOneShotBufferize(func, options, state)))
    return failure();
  DominanceInfo dominance(func);
  eliminateCommonSubExpressions(rewriter, dominance, func);

  for (auto copy : llvm::make_early_inc_range(func.getOps<memref::CopyOp>())) {
    rewriter.setInsertionPoint(copy);
    if (copy.getSource() == copy.getTarget())
      rewriter.eraseOp(copy);
    else if (rootOf(copy.getTarget()).getDefiningOp<memref::AllocOp>())
      rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(), copy.getTarget());
    else
      return kernel.emitError(
          "must compute what it writes in place, but a copy is needed; likely a missing case in the "
          "kernels phase");
  }
  for (auto alloc : llvm::make_early_inc_range(func.getOps<memref::AllocOp>())) {
    rewriter.setInsertionPoint(alloc);
    rewriter.replaceOp(alloc, allocateScratch(alloc));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 4. Loops
//===----------------------------------------------------------------------===//

/// Replaces `op` by loops. If `index` is not null, they compute only this index of the cut axis.
LogicalResult Fallback::lowerToLoops(linalg::LinalgOp op, Value index) {
  std::optional<unsigned> cutLoop;
  if (auto loop = op->getAttrOfType<IntegerAttr>(notes::kCutLoop); loop && index)
    cutLoop = loop.getInt();
  return cpu::lowerToLoops(rewriter, op, cutLoop, index);
}

/// Fills the halo of the slice at `index` of its axis `axis`, or of the whole slice if `index` is null.
LogicalResult Fallback::fillHalo(const OutputSlice &output, int64_t axis, Value index) {
  const Box hull = output.hull();
  for (const Box &box : subtractBox(output.region, hull, axis)) {
    OpBuilder::InsertionGuard guard(rewriter);
    SmallVector<OpFoldResult> offsets = getAsIndexOpFoldResult(rewriter.getContext(), box.offsets),
                              sizes = getAsIndexOpFoldResult(rewriter.getContext(), box.sizes);
    const int64_t first = hull.offsets[axis], last = first + hull.sizes[axis] - 1, step = output.steps[axis];
    if (index && (box.offsets[axis] < first || box.offsets[axis] > last)) {
      Value owner = constant(box.offsets[axis] < first ? 0 : (last - first) / step);
      Value owns = create<arith::CmpIOp>(arith::CmpIPredicate::eq, index, owner);
      auto branch = create<scf::IfOp>(owns, /*withElseRegion=*/false);
      rewriter.setInsertionPointToStart(branch.thenBlock());
    } else if (index) {
      Value begin = step == 1 ? index : create<arith::MulIOp>(index, constant(step)).getResult();
      offsets[axis] = create<arith::AddIOp>(begin, constant(first)).getResult();
      sizes[axis] = rewriter.getIndexAttr(1);
      if (step != 1) {
        Value left = create<arith::SubIOp>(constant(hull.sizes[axis]), begin);
        sizes[axis] = create<arith::MinUIOp>(left, constant(step)).getResult();
      }
    }
    SmallVector<OpFoldResult> steps(offsets.size(), rewriter.getIndexAttr(1));
    Value part = create<memref::SubViewOp>(output.memory, offsets, sizes, steps);
    auto fill = create<linalg::FillOp>(create<arith::ConstantOp>(output.haloValue).getResult(), part);
    if (failed(lowerToLoops(fill, Value())))
      return failure();
  }
  return success();
}

LogicalResult Fallback::writeLoops() {
  SmallVector<linalg::LinalgOp> work(func.getOps<linalg::LinalgOp>());
  rewriter.setInsertionPoint(func.front().getTerminator());
  auto units = create<scf::ForOp>(function.begin, function.end, constant(1));
  rewriter.setInsertionPointToStart(units.getBody());
  Value index;
  if (!cutAxes.empty())
    index = create<arith::AddIOp>(function.shareBegin, units.getInductionVar());
  for (linalg::LinalgOp op : work) {
    if (!index || op->hasAttr(notes::kCutLoop))
      rewriter.moveOpBefore(op, units.getBody()->getTerminator());
    if (failed(lowerToLoops(op, index)))
      return failure();
  }
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (!output.haloValue)
      continue;
    rewriter.setInsertionPoint(units.getBody()->getTerminator());
    if (failed(fillHalo(output, index ? output.axes[cutAxes[i]] : 0, index)))
      return failure();
  }
  return success();
}

/// Replaces functions for which LLVM has no exact code by calls of the C library.
LogicalResult Fallback::callLibm() {
  MLIRContext *context = func.getContext();
  RewritePatternSet patterns(context);
  populateMathToLibmConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  target.addIllegalOp<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp, math::AtanOp, math::Atan2Op,
                      math::AtanhOp, math::CosOp, math::CoshOp, math::ErfOp, math::ErfcOp, math::ExpOp, math::Exp2Op,
                      math::ExpM1Op, math::LogOp, math::Log10Op, math::Log1pOp, math::Log2Op, math::PowFOp, math::SinOp,
                      math::SinhOp, math::TanOp, math::TanhOp>();
  return applyPartialConversion(func, target, std::move(patterns));
}

LogicalResult Fallback::run() {
  function.fallback = true;
  outputs = copyBody(kernel, function, rewriter);
  if (failed(divide()))
    return failure();
  estimate();
  decomposePads(func, rewriter);
  return failure(failed(bufferize()) || failed(writeLoops()) || failed(callLibm()));
}

} // namespace

LogicalResult nacre::codegen::cpu::emitFallback(plan::KernelOp kernel, KernelFunction &function) {
  return Fallback(kernel, function).run();
}
