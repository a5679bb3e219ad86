// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. what is written; 2. the work. Written tensors come first, so that results find their targets.

#include "codegen/form/KernelForm.h"

#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-kernel-form"

using namespace mlir;

namespace nacre::codegen {

StridedSlice WrittenTensor::hull() const {
  StridedSlice hull = slice;
  for (auto [size, stride, step] : llvm::zip_equal(hull.shape, hull.strides, steps)) {
    size = (size - 1) * step + 1;
    stride /= step;
  }
  return hull;
}

namespace {

LogicalResult misfit(Operation *op, const char *reason) {
  LDBG() << op->getName() << ": " << reason;
  return failure();
}

/// The constant of a linalg.fill, null if `value` is not the result of one.
TypedAttr fillOf(Value value) {
  TypedAttr constant;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    matchPattern(fill.getInputs().front(), m_Constant(&constant));
  return constant;
}

class KernelReader {
public:
  explicit KernelReader(plan::KernelOp kernel) : kernel(kernel) {}

  FailureOr<KernelForm> parse() {
    form.cutAxis = kernel.getCutAxis();
    form.cutExtent = kernel.getCutExtent();
    form.grain = kernel.getGrain();
    auto yield = cast<plan::YieldOp>(kernel.getBody().front().getTerminator());
    for (auto [argument, value] : llvm::zip_equal(kernel.getOutputs(), yield.getValues()))
      if (failed(parseStorage(argument, value)))
        return failure();
    for (Operation &op : kernel.getBody().front())
      if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
        if (failed(parseWork(generic)))
          return failure();
      } else if (isa<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op)) {
        return misfit(&op, "the work must be linalg.generic or linalg.fill");
      }
    if (form.work.empty())
      return misfit(kernel, "there must be a linalg.generic");
    if (form.cutExtent > 1 && form.cutAxis >= form.written.front().slice.shape.size())
      return misfit(kernel, "the cut axis must be one of the first target's");
    return std::move(form);
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. What is written
  //===--------------------------------------------------------------------===//

  /// The new contents of `storage`: tensors inserted into it one after the other, or one that is all of it.
  LogicalResult parseStorage(BlockArgument storage, Value contents) {
    const StridedSlice whole = *findSlice(storage);
    while (contents != storage) {
      auto insert = contents.getDefiningOp<tensor::InsertSliceOp>();
      if (!insert || fillOf(insert.getDest()))
        return parseTarget(whole, contents);
      FailureOr<StridedSlice> slice = insertedSlice(whole, insert);
      if (failed(slice) || failed(parseTarget(*slice, insert.getSource(), insert)))
        return misfit(insert, "a target must be a static slice of its storage");
      contents = insert.getDest();
    }
    return success();
  }

  /// A result, or a result inserted into a filled region: its halo.
  LogicalResult parseTarget(const StridedSlice &region, Value value, tensor::InsertSliceOp into = {}) {
    WrittenTensor target;
    target.steps = stepsOf(into, region.shape.size());
    target.slice = region;
    target.elementType = cast<RankedTensorType>(value.getType()).getElementType();
    target.haloLow.assign(region.shape.size(), 0);
    target.haloHigh.assign(region.shape.size(), 0);
    if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>()) {
      target.haloValue = fillOf(insert.getDest());
      FailureOr<StridedSlice> interior = insertedSlice(region, insert);
      if (!target.haloValue || failed(interior) || interior->shape.size() != region.shape.size())
        return misfit(insert, "a halo must be a constant around a static interior");
      target.slice = *interior;
      target.steps = stepsOf(insert, interior->shape.size());
      const StridedSlice hull = target.hull();
      for (auto [axis, low] : llvm::enumerate(insert.getStaticOffsets())) {
        target.haloLow[axis] = low;
        target.haloHigh[axis] = region.shape[axis] - low - hull.shape[axis];
      }
      value = insert.getSource();
    }
    if (!value.getDefiningOp<linalg::GenericOp>() || !targets.try_emplace(value, form.written.size()).second)
      return misfit(kernel, "a target must be the result of one linalg.generic");
    form.written.push_back(std::move(target));
    return success();
  }

  /// Of the axes that are not dropped; 1 where there is no insertion.
  static SmallVector<int64_t> stepsOf(tensor::InsertSliceOp insert, size_t rank) {
    SmallVector<int64_t> steps;
    if (insert)
      for (auto [axis, step] : llvm::enumerate(insert.getStaticStrides()))
        if (!insert.getDroppedDims().test(axis))
          steps.push_back(step);
    steps.resize(rank, 1);
    return steps;
  }

  static FailureOr<StridedSlice> insertedSlice(StridedSlice slice, tensor::InsertSliceOp insert) {
    if (ShapedType::isDynamicShape(insert.getStaticOffsets()) || ShapedType::isDynamicShape(insert.getStaticStrides()))
      return failure();
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    SmallVector<int64_t> strides;
    for (auto [axis, offset] : llvm::enumerate(insert.getStaticOffsets())) {
      slice.offset += offset * slice.strides[axis];
      if (!dropped[axis])
        strides.push_back(slice.strides[axis] * insert.getStaticStride(axis));
    }
    slice.strides = std::move(strides);
    slice.shape.assign(insert.getSourceType().getShape().begin(), insert.getSourceType().getShape().end());
    return slice;
  }

  //===--------------------------------------------------------------------===//
  // 2. The work
  //===--------------------------------------------------------------------===//

  LogicalResult parseWork(linalg::GenericOp op) {
    Work work;
    work.op = op;
    work.body = op.getBody();
    work.sizes = op.getStaticLoopRanges();
    for (utils::IteratorType type : op.getIteratorTypesArray())
      work.parallel.push_back(type == utils::IteratorType::parallel);
    for (OpOperand *operand : op.getDpsInputOperands()) {
      FailureOr<Input> input = parseInput(op, *operand);
      if (failed(input))
        return failure();
      work.inputs.push_back(std::move(*input));
    }
    for (OpOperand &operand : op.getDpsInitsMutable()) {
      OpResult value = op.getTiedOpResult(&operand);
      auto type = cast<RankedTensorType>(operand.get().getType());
      Result result;
      result.start = fillOf(operand.get());
      if (!result.start && op.payloadUsesValueFromOperand(&operand))
        return misfit(op, "accumulators must start from a linalg.fill");
      if (auto target = targets.find(value); target != targets.end())
        result.written = target->second;
      result.map = op.getMatchingIndexingMap(&operand);
      result.shape.assign(type.getShape().begin(), type.getShape().end());
      result.elementType = type.getElementType();
      produced[value] = {unsigned(form.work.size()), unsigned(work.results.size())};
      work.results.push_back(std::move(result));
    }
    form.work.push_back(std::move(work));
    return success();
  }

  FailureOr<Input> parseInput(linalg::GenericOp op, OpOperand &operand) {
    Input input;
    input.map = op.getMatchingIndexingMap(&operand);
    input.elementType = cast<RankedTensorType>(operand.get().getType()).getElementType();
    if (auto former = produced.find(operand.get()); former != produced.end()) {
      input.source = Input::Source::Work;
      std::tie(input.work, input.result) = former->second;
      return input;
    }
    FailureOr<StridedSlice> slice = findSlice(operand.get());
    if (failed(slice)) {
      if (op.payloadUsesValueFromOperand(&operand))
        return misfit(op, "an operand that is read must be in a storage or computed before");
      return input;
    }
    FailureOr<Access> access = composeAccess(*slice, input.map, input.elementType);
    if (failed(access))
      return misfit(op, "an indexing map must be sums of dim * constant");
    input.source = Input::Source::Storage;
    input.access = std::move(*access);
    return input;
  }

  plan::KernelOp kernel;
  KernelForm form;
  llvm::DenseMap<Value, unsigned> targets;
  llvm::DenseMap<Value, std::pair<unsigned, unsigned>> produced;
};

} // namespace

FailureOr<KernelForm> parseKernel(plan::KernelOp kernel) { return KernelReader(kernel).parse(); }

} // namespace nacre::codegen
