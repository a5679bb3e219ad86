// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/form/fused/KernelHalves.h"

#include "codegen/form/KernelForm.h"
#include "codegen/form/MultiplyAdd.h"
#include "dialects/plan/Notes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "nacre-kernel-halves"

using namespace mlir;

namespace nacre::codegen {

namespace {

LogicalResult misfit(const char *reason) {
  LDBG() << reason;
  return failure();
}

//===----------------------------------------------------------------------===//
// 1. Division of the body
//===----------------------------------------------------------------------===//

struct Division {
  Value between;
  plan::KernelKind kind = plan::KernelKind::Nest; ///< Kind of the first half.
  /// Index of the argument that holds the intermediate tensor; `nullopt` if none does.
  std::optional<unsigned> written;
  tensor::InsertSliceOp into; ///< Inserts the intermediate tensor into that argument; null if it is the whole argument.
  unsigned cutAxis = 0;       ///< Cut axis of the intermediate tensor; valid only if `cutFactor` is not 0.
  /// Distance on that axis between neighboring indices of the kernel's cut axis (KernelHalves::cutFactor).
  int64_t cutFactor = 0;
};

/// Returns the operations of the body that are needed for `values`, if the value `known` need not be computed.
llvm::DenseSet<Operation *> neededBy(ArrayRef<Value> values, Value known) {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> open(values);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (value == known || !op || !needed.insert(op).second)
      continue;
    // The body of an operation may read constants of the kernel's body.
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp(); source && source->getBlock() == op->getBlock())
          open.push_back(operand);
    });
  }
  return needed;
}

SmallVector<Value> yieldedBy(plan::KernelOp kernel) {
  return SmallVector<Value>(cast<plan::YieldOp>(kernel.getBody().front().getTerminator()).getValues());
}

/// Returns the values that the second half writes to storages.
SmallVector<Value> yieldedBySecond(plan::KernelOp kernel, const Division &division) {
  SmallVector<Value> values;
  for (auto [output, value] : llvm::zip_equal(kernel.getOutputs(), yieldedBy(kernel)))
    if (division.written != output.getArgNumber())
      values.push_back(value);
  return values;
}

class Divider {
public:
  Divider(plan::KernelOp kernel, const KernelForm &form) : kernel(kernel), form(form) {}

  FailureOr<Division> find() {
    std::optional<unsigned> product = findProduct();
    if (!product)
      return misfit("a product must read the result of the operation before it");
    const Work &maker = form.work[*product - 1];
    division.between = maker.op->getResult(0);
    if (kernel.getKind() == plan::KernelKind::Separable)
      division.kind = plan::KernelKind::Contraction;
    else if (llvm::any_of(ArrayRef(form.work).take_front(*product),
                          [](const Work &work) { return !work.allParallel(); }))
      division.kind = plan::KernelKind::Row;
    if (failed(findWhereWritten(maker.results.front())) || failed(findCut(form.work[*product])))
      return failure();
    const llvm::DenseSet<Operation *> second = neededBy(yieldedBySecond(kernel, division), division.between);
    for (const Work &work : ArrayRef(form.work).take_front(*product))
      if (second.contains(work.op))
        return misfit("the second half must read one tensor of the first");
    return division;
  }

private:
  /// Returns the index of the product among the operations. Sets `left` to the input of the product that the previous
  /// operation computes.
  std::optional<unsigned> findProduct() {
    for (unsigned number = 1; number < form.work.size(); ++number) {
      const Work &work = form.work[number], &before = form.work[number - 1];
      if (work.allParallel() || !isMultiplyAdd(work) || before.results.size() != 1)
        continue;
      for (unsigned input : {0, 1})
        if (work.inputs[input].source == Input::Source::Work && work.inputs[input].work + 1 == number &&
            work.op->getOperand(input) == before.op->getResult(0)) {
          left = &work.inputs[input];
          return number;
        }
    }
    return std::nullopt;
  }

  LogicalResult findWhereWritten(const Result &between) {
    if (!between.written)
      return success();
    const WrittenTensor &written = form.written[*between.written];
    division.written = written.slice.argument;
    const unsigned output = written.slice.argument - unsigned(kernel.getNumInputs());
    if (*between.written == 0 || output == 0)
      return misfit("the first target must be the second half's");
    Value contents = yieldedBy(kernel)[output];
    if (contents == division.between)
      return success();
    division.into = contents.getDefiningOp<tensor::InsertSliceOp>();
    return success(!written.haloValue && division.into && division.into.getSource() == division.between &&
                   division.into.getDest() == kernel.getOutputs()[output]);
  }

  /// Finds the axis of the intermediate tensor that the kernel's cut axis walks.
  LogicalResult findCut(const Work &product) {
    if (form.cutExtent <= 1)
      return success();
    FailureOr<SmallVector<WalkedAxis>> result = walkAxes(product.results.front().map), axes = walkAxes(left->map);
    if (failed(result) || failed(axes) || form.cutAxis >= result->size())
      return failure();
    std::optional<unsigned> loop = onlyLoop((*result)[form.cutAxis]);
    if (!loop || (*result)[form.cutAxis].coefficients[*loop] != 1)
      return misfit("a loop must walk the cut axis");
    for (auto [number, axis] : llvm::enumerate(*axes)) {
      if (axis.coefficients[*loop] == 0)
        continue;
      if (division.cutFactor != 0 || onlyLoop(axis) != *loop || axis.coefficients[*loop] < 0)
        return misfit("the cut axis must walk one axis of the intermediate tensor");
      division.cutAxis = number;
      division.cutFactor = axis.coefficients[*loop];
    }
    auto type = cast<RankedTensorType>(division.between.getType());
    const bool isAll =
        division.cutFactor == 0 || (division.cutFactor == 1 && type.getDimSize(division.cutAxis) == form.cutExtent);
    return success(!division.written || isAll);
  }

  /// Returns the loop that walks `axis` from its beginning; `nullopt` unless exactly one loop does.
  static std::optional<unsigned> onlyLoop(const WalkedAxis &axis) {
    std::optional<unsigned> only;
    for (auto [loop, coefficient] : llvm::enumerate(axis.coefficients)) {
      if (coefficient == 0)
        continue;
      if (only || axis.constant != 0)
        return std::nullopt;
      only = loop;
    }
    return only;
  }

  plan::KernelOp kernel;
  const KernelForm &form;
  const Input *left = nullptr;
  Division division;
};

FailureOr<Division> findDivision(plan::KernelOp kernel) {
  if (kernel.getKind() != plan::KernelKind::Contraction && kernel.getKind() != plan::KernelKind::Separable)
    return failure();
  FailureOr<KernelForm> form = parseKernel(kernel);
  if (failed(form))
    return failure();
  return Divider(kernel, *form).find();
}

//===----------------------------------------------------------------------===//
// 2. The halves
//===----------------------------------------------------------------------===//

/// A kernel under construction, which gets some arguments and operations of another kernel.
class HalfBuilder {
public:
  HalfBuilder(plan::KernelOp whole, StringRef suffix, plan::KernelKind kind) : whole(whole), builder(whole) {
    half.kernel =
        plan::KernelOp::create(builder, whole.getLoc(), builder.getStringAttr(whole.getSymName() + suffix), kind,
                               /*num_inputs=*/0, /*cut_axis=*/0, /*cut_extent=*/1, /*grain=*/1,
                               /*encodings=*/ArrayAttr());
    builder.createBlock(&half.kernel.getBody());
  }

  /// Appends an argument.
  BlockArgument add(Type type, std::optional<unsigned> argument) {
    half.arguments.push_back(argument);
    return half.kernel.getBody().addArgument(type, whole.getLoc());
  }
  void add(unsigned argument) {
    BlockArgument former = whole.getBody().getArgument(argument);
    mapping.map(former, add(former.getType(), argument));
  }

  void addInputs(const llvm::DenseSet<Operation *> &needed) {
    for (BlockArgument input : whole.getInputs())
      if (llvm::any_of(input.getUsers(), [&](Operation *user) {
            return needed.contains(whole.getBody().front().findAncestorOpInBlock(*user));
          }))
        add(input.getArgNumber());
  }
  void endInputs() { half.kernel.setNumInputs(half.arguments.size()); }

  void cut(unsigned axis, int64_t extent, int64_t grain) {
    half.kernel.setCutAxis(axis);
    half.kernel.setCutExtent(extent);
    half.kernel.setGrain(grain);
  }

  KernelHalf finish(const llvm::DenseSet<Operation *> &needed, ArrayRef<Value> yielded) {
    for (Operation &op : whole.getBody().front())
      if (needed.contains(&op))
        builder.clone(op, mapping);
    plan::YieldOp::create(builder, whole.getLoc(),
                          llvm::map_to_vector(yielded, [&](Value value) { return mapping.lookup(value); }));
    if (ArrayAttr encodings = whole.getEncodingsAttr()) {
      SmallVector<Attribute> own(half.kernel.getNumInputs(), builder.getUnitAttr());
      for (auto [encoding, argument] : llvm::zip(own, half.arguments))
        if (argument && int64_t(*argument) < whole.getNumInputs())
          encoding = encodings[*argument];
      half.kernel.setEncodingsAttr(builder.getArrayAttr(own));
    }
    return std::move(half);
  }

  plan::KernelOp whole;
  OpBuilder builder;
  IRMapping mapping;

private:
  KernelHalf half;
};

/// Gives `half` the note about sums of halves of the whole kernel.
void allowHalfSums(plan::KernelOp half, plan::KernelOp whole) {
  if (const int64_t steps = plan::halfSumsOf(whole))
    plan::setHalfSums(half, steps);
}

KernelHalf makeFirst(plan::KernelOp kernel, const Division &division) {
  auto type = cast<RankedTensorType>(division.between.getType());
  HalfBuilder half(kernel, "_first", division.kind);
  Value yielded = division.between;
  if (division.written)
    yielded = yieldedBy(kernel)[*division.written - unsigned(kernel.getNumInputs())];
  const llvm::DenseSet<Operation *> needed = neededBy({yielded}, Value());
  half.addInputs(needed);
  half.endInputs();
  if (division.written)
    half.add(*division.written);
  else
    half.add(type, std::nullopt);
  if (division.cutFactor)
    half.cut(division.cutAxis, type.getDimSize(division.cutAxis), /*grain=*/1);
  KernelHalf first = half.finish(needed, {yielded});
  allowHalfSums(first.kernel, kernel);
  return first;
}

KernelHalf makeSecond(plan::KernelOp kernel, const Division &division) {
  auto type = cast<RankedTensorType>(division.between.getType());
  HalfBuilder half(kernel, "_second", plan::KernelKind::Contraction);
  const SmallVector<Value> yielded = yieldedBySecond(kernel, division);
  const llvm::DenseSet<Operation *> needed = neededBy(yielded, division.between);
  half.addInputs(needed);
  Type storage = division.written ? kernel.getBody().getArgument(*division.written).getType() : type;
  Value between = half.add(storage, division.written);
  half.endInputs();
  for (BlockArgument output : kernel.getOutputs())
    if (division.written != output.getArgNumber())
      half.add(output.getArgNumber());
  if (tensor::InsertSliceOp into = division.into)
    between = tensor::ExtractSliceOp::create(half.builder, kernel.getLoc(), type, between, into.getMixedOffsets(),
                                             into.getMixedSizes(), into.getMixedStrides());
  half.mapping.map(division.between, between);
  half.cut(kernel.getCutAxis(), kernel.getCutExtent(), kernel.getGrain());
  KernelHalf second = half.finish(needed, yielded);
  allowHalfSums(second.kernel, kernel);
  return second;
}

} // namespace

bool hasHalves(plan::KernelOp kernel) { return succeeded(findDivision(kernel)); }

FailureOr<KernelHalves> divideKernel(plan::KernelOp kernel) {
  FailureOr<Division> division = findDivision(kernel);
  if (failed(division))
    return failure();
  KernelHalves halves;
  halves.first = makeFirst(kernel, *division);
  halves.second = makeSecond(kernel, *division);
  halves.between = cast<RankedTensorType>(division->between.getType());
  halves.cutFactor = division->cutFactor;
  return halves;
}

} // namespace nacre::codegen
