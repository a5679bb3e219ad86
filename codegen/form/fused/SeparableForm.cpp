// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. divide the kernel's operations between two forms, and read each as a contraction; 2. express the strides of
//        the first contraction's operands in the loops of the second.

#include "codegen/form/fused/SeparableForm.h"

#include "codegen/form/MultiplyAdd.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-separable-form"

using namespace mlir;

namespace nacre::codegen {

static LogicalResult misfit(const char *reason) {
  LDBG() << reason;
  return failure();
}

//===----------------------------------------------------------------------===//
// 1. Two contractions
//===----------------------------------------------------------------------===//

/// Returns the index of the first operation of the second half, a multiply-add.
static std::optional<unsigned> findSecondHalf(const KernelForm &form) {
  for (unsigned number = 1; number < form.work.size(); ++number)
    if (const Work &work = form.work[number]; !work.allParallel() && isMultiplyAdd(work))
      return number;
  return std::nullopt;
}

/// Returns the slice that is the whole intermediate tensor, as if a storage held it.
static StridedSlice sliceBetween(plan::KernelOp kernel, const Result &result) {
  StridedSlice slice;
  slice.argument = kernel.getBody().getNumArguments();
  slice.shape.assign(result.shape.begin(), result.shape.end());
  slice.strides = computeStrides(slice.shape);
  return slice;
}

static KernelForm firstHalf(const KernelForm &form, unsigned second, const StridedSlice &between) {
  KernelForm half;
  half.work.assign(form.work.begin(), form.work.begin() + second);
  Result &last = half.work.back().results.front();
  last.written = 0;
  WrittenTensor &written = half.written.emplace_back();
  written.slice = between;
  written.elementType = last.elementType;
  written.steps.assign(between.shape.size(), 1);
  written.haloLow.assign(between.shape.size(), 0);
  written.haloHigh = written.haloLow;
  // The intermediate tensor has no axis for the product's columns.
  const bool isCut = form.cutAxis + 1 < between.shape.size();
  half.cutAxis = isCut ? form.cutAxis : between.shape.size();
  half.cutExtent = isCut ? form.cutExtent : 1;
  half.grain = isCut ? form.grain : 1;
  return half;
}

static FailureOr<KernelForm> secondHalf(const KernelForm &form, unsigned second, const StridedSlice &between) {
  KernelForm half = form;
  half.work.erase(half.work.begin(), half.work.begin() + second);
  Input &lhs = half.work.front().inputs.front();
  if (lhs.source != Input::Source::Work || lhs.work + 1 != second)
    return misfit("the second half must read what the first one ends with");
  FailureOr<Access> access = composeAccess(between, lhs.map, lhs.elementType);
  if (failed(access))
    return failure();
  lhs.source = Input::Source::Storage;
  lhs.access = std::move(*access);
  for (Work &work : llvm::drop_begin(half.work))
    for (Input &input : work.inputs) {
      if (input.source != Input::Source::Work)
        continue;
      if (input.work < second)
        return misfit("the second half's epilogue must not read the first half");
      input.work -= second;
    }
  return half;
}

FailureOr<SeparableForm> parseSeparable(plan::KernelOp kernel) {
  if (kernel.getKind() != plan::KernelKind::Separable)
    return failure();
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form) || form->written.size() != 1)
    return failure();
  const std::optional<unsigned> second = findSecondHalf(*form);
  if (!second)
    return misfit("there must be two multiply-adds");
  const Work &last = form->work[*second - 1];
  if (last.results.size() != 1 || !last.results.front().map.isProjectedPermutation())
    return misfit("the first half must end in one tensor");
  const StridedSlice between = sliceBetween(kernel, last.results.front());
  FailureOr<KernelForm> pointwise = secondHalf(*form, *second, between);
  if (failed(pointwise))
    return failure();

  auto read = [&](KernelForm half) {
    return readContraction(kernel, std::make_shared<const KernelForm>(std::move(half)));
  };
  FailureOr<PlainContraction> first = read(firstHalf(*form, *second, between)), product = read(std::move(*pointwise));
  if (failed(first) || failed(product))
    return failure();
  if (!first->depthwise || product->depthwise || product->operands[Contraction::Lhs].argument != between.argument ||
      product->parts != 1)
    return misfit("a depthwise convolution must be the left operand of a product");
  return SeparableForm{std::move(*first), std::move(*product)};
}

//===----------------------------------------------------------------------===//
// 2. One product
//===----------------------------------------------------------------------===//

/// Returns the loop of the first half that walks each axis of its result. Fails if an axis is not walked by exactly one
/// loop.
static FailureOr<SmallVector<unsigned>> loopsOfAxes(const PlainContraction &contraction) {
  SmallVector<unsigned> loops;
  for (const WalkedAxis &axis : contraction.resultAxes) {
    auto walked = llvm::find_if(axis.coefficients, [](int64_t coefficient) { return coefficient != 0; });
    if (walked == axis.coefficients.end() || *walked != 1 || axis.constant != 0 ||
        llvm::count(axis.coefficients, 0) + 1 != int64_t(axis.coefficients.size()))
      return misfit("a loop must walk each axis of the tensor between");
    loops.push_back(walked - axis.coefficients.begin());
  }
  return loops;
}

using Tap = ContractionPrologue::Tap;

/// Returns the offsets of all taps of a window. Fails if there are more than `most` taps.
static FailureOr<SmallVector<Tap, 0>> tapsOf(const PlainContraction &depthwise, int64_t most) {
  SmallVector<Tap, 0> taps = {{}};
  for (const ProductLoop &loop : depthwise.loops) {
    if (loop.parallel)
      continue;
    if (loop.size > most / int64_t(taps.size()))
      return misfit("windows must be small enough to be unrolled");
    SmallVector<Tap, 0> inner;
    for (const Tap &tap : taps)
      for (int64_t step = 0; step < loop.size; ++step)
        inner.push_back(
            {tap.lhs + step * loop.strides[Contraction::Lhs], tap.filter + step * loop.strides[Contraction::Rhs]});
    taps = std::move(inner);
  }
  return taps;
}

FailureOr<PlainContraction> throughWindows(const SeparableForm &form, int64_t mostTaps) {
  const PlainContraction &depthwise = form.depthwise;
  FailureOr<SmallVector<unsigned>> loops = loopsOfAxes(depthwise);
  FailureOr<SmallVector<WalkedAxis>> axes = walkAxes(form.pointwise.product->inputs.front().map);
  FailureOr<SmallVector<Tap, 0>> taps = tapsOf(depthwise, mostTaps);
  if (failed(loops) || failed(axes) || failed(taps) || taps->empty())
    return failure();

  PlainContraction product = form.pointwise;
  ContractionPrologue &prologue = product.prologue.emplace();
  prologue.taps = std::move(*taps);
  prologue.map = depthwise.epilogue;
  prologue.elementType = form.pointwise.operands[Contraction::Lhs].elementType;
  // Returns the stride of `operand`, an operand of the first half, for `loop`, a loop of the product.
  auto strideOf = [&](unsigned operand, unsigned loop) {
    int64_t stride = 0;
    for (auto [axis, walked] : llvm::zip_equal(*axes, *loops))
      stride += axis.coefficients[loop] * depthwise.loops[walked].strides[operand];
    return stride;
  };
  product.operands[Contraction::Lhs] = depthwise.operands[Contraction::Lhs];
  for (auto [number, loop] : llvm::enumerate(product.loops))
    loop.strides[Contraction::Lhs] = strideOf(Contraction::Lhs, number);
  auto append = [&](unsigned operand) {
    product.operands.push_back(depthwise.operands[operand]);
    for (auto [number, loop] : llvm::enumerate(product.loops)) {
      loop.strides.push_back(strideOf(operand, number));
      if (loop.parallel && loop.strides.back() != 0)
        return LogicalResult(misfit("the operations after the windows must read per-channel numbers"));
    }
    return success();
  };
  prologue.filter = product.operands.size();
  if (failed(append(Contraction::Rhs)))
    return failure();
  unsigned extra = Contraction::Extra;
  for (std::optional<unsigned> part : depthwise.productInputs) {
    ContractionPrologue::Argument &argument = prologue.arguments.emplace_back();
    argument.isWindow = part.has_value();
    if (part)
      continue;
    argument.operand = product.operands.size();
    if (failed(append(extra++)))
      return failure();
  }
  return product;
}

} // namespace nacre::codegen
