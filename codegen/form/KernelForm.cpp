// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:   1. read the written tensors, so that results find their targets; 2. read the work.

#include "codegen/form/KernelForm.h"

#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-kernel-form"

using namespace mlir;

namespace nacre::codegen {

namespace {

LogicalResult misfit(Operation *op, const char *reason) {
  LDBG() << op->getName() << ": " << reason;
  return failure();
}

class KernelReader {
public:
  explicit KernelReader(plan::KernelOp kernel) : kernel(kernel) {}

  FailureOr<KernelForm> parse() {
    form.cutAxis = kernel.getCutAxis();
    form.cutExtent = kernel.getCutExtent();
    form.grain = kernel.getGrain();
    if (failed(parseTargets()))
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
  // 1. Written tensors
  //===--------------------------------------------------------------------===//

  LogicalResult parseTargets() {
    FailureOr<SmallVector<WrittenValue, 1>> written = findWritten(kernel);
    if (failed(written))
      return misfit(kernel, "targets must be static slices of their storages");
    for (WrittenValue &target : *written) {
      if (!target.value.getDefiningOp<linalg::GenericOp>() ||
          !targets.try_emplace(target.value, form.written.size()).second)
        return misfit(kernel, "a target must be the result of one linalg.generic");
      form.written.push_back(std::move(target.tensor));
    }
    return success();
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
      result.start = constantOfFill(operand.get());
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
    if (auto part = operand.get().getDefiningOp<tensor::ExtractSliceOp>(); part && produced.contains(part.getSource()))
      return parsePart(std::move(input), part);
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

  /// Completes an input that reads a slice of an earlier operation's result.
  FailureOr<Input> parsePart(Input input, tensor::ExtractSliceOp part) {
    if (!part.hasUnitStride() || ShapedType::isDynamicShape(part.getStaticOffsets()) ||
        part.getType().getRank() != part.getSourceType().getRank())
      return misfit(part, "a part of a computed value must be a contiguous static slice");
    SmallVector<AffineExpr> shifted(input.map.getResults());
    for (auto [expression, offset] : llvm::zip_equal(shifted, part.getStaticOffsets()))
      expression = expression + offset;
    input.map = AffineMap::get(input.map.getNumDims(), 0, shifted, part.getContext());
    input.source = Input::Source::Work;
    std::tie(input.work, input.result) = produced.lookup(part.getSource());
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
