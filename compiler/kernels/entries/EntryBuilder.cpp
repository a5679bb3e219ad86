// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts: 1. weights; 2. values and launches.

#include "compiler/kernels/entries/EntryBuilder.h"
#include "compiler/kernels/bodies/ElementTypes.h"
#include "dialects/StoredBytes.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/NarrowTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/Notes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace nacre::kernels {

//===----------------------------------------------------------------------===//
// 1. Weights
//===----------------------------------------------------------------------===//

std::string ModulePlan::makeKernelName(StringRef stem) { return (stem + "_" + Twine(kernelCounts[stem]++)).str(); }

/// Converts a constant to its storage type: booleans to bytes, unsigned integers to signless ones. The data of a large
/// constant is not copied, except for types with several elements in a byte.
static FailureOr<ElementsAttr> toStorageAttribute(ElementsAttr value) {
  auto type = cast<RankedTensorType>(value.getShapedType());
  RankedTensorType stored = getStorageTensorType(type);
  if (stored == type)
    return value;
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (resource && !nn::isPacked(type.getElementType()))
    return ElementsAttr(DenseResourceElementsAttr::get(stored, resource.getRawHandle()));
  FailureOr<nn::ConstantView> view = nn::ConstantView::get(value);
  if (failed(view))
    return failure();
  nn::ConstantBuilder bytes(stored, view->isSplat());
  for (int64_t index = 0, end = view->isSplat() ? 1 : stored.getNumElements(); index < end; ++index)
    memcpy(bytes.at(index), view->at(index), bytes.getElementBytes());
  return std::move(bytes).take();
}

FailureOr<plan::WeightOp> ModulePlan::getWeight(ElementsAttr value, Location loc) {
  if (plan::WeightOp known = weights.lookup(value))
    return known;
  FailureOr<plan::WeightOp> weight = addWeight(value, loc);
  if (succeeded(weight))
    weights[value] = *weight;
  return weight;
}

FailureOr<plan::WeightOp> ModulePlan::getInitial(StringRef variable, ElementsAttr value, Location loc) {
  if (plan::WeightOp known = initials.lookup(variable))
    return known;
  FailureOr<plan::WeightOp> weight = addWeight(value, loc);
  if (succeeded(weight))
    initials[variable] = *weight;
  return weight;
}

FailureOr<plan::WeightOp> ModulePlan::addWeight(ElementsAttr value, Location loc) {
  // The model contains the data of other weights, so their size is limited. A splat is only one value there, so its
  // expanded size needs a limit.
  constexpr int64_t maxSplatBytes = int64_t(1) << 32;
  if (value.isSplat())
    splatBytes += storedBytes(value.getShapedType());
  if (splatBytes > maxSplatBytes) {
    emitError(loc, "weights expanded from one repeated number must take at most ")
        << maxSplatBytes << " bytes in all, but take more";
    return failure();
  }
  FailureOr<ElementsAttr> stored = toStorageAttribute(value);
  if (failed(stored)) {
    emitError(loc, "must be a constant whose bytes can be read, but is ") << value.getShapedType();
    return failure();
  }
  // All weights come first, so that each symbol is defined before it is used.
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  if (lastWeight)
    builder.setInsertionPointAfter(lastWeight);
  std::string name = ("weight_" + Twine(numWeights++)).str();
  lastWeight = plan::WeightOp::create(builder, loc, builder.getStringAttr(name), *stored, plan::EncodingAttr());
  return lastWeight;
}

//===----------------------------------------------------------------------===//
// 2. Values and launches
//===----------------------------------------------------------------------===//

EntryBuilder::EntryBuilder(ModulePlan &plan, StringRef name, Location loc)
    : plan(plan), builder(plan.getModule().getContext()) {
  builder.setInsertionPointToEnd(plan.getModule().getBody());
  entry = plan::EntryOp::create(builder, loc, builder.getStringAttr(name), IntegerAttr());
  builder.createBlock(&entry.getBody());
}

Value EntryBuilder::use(ElementsAttr value, Location loc) {
  FailureOr<plan::WeightOp> weight = plan.getWeight(value, loc);
  if (failed(weight))
    return {};
  Value &use = uses[*weight];
  if (!use) {
    OpBuilder atBegin = OpBuilder::atBlockBegin(&entry.getBody().front());
    use = plan::UseOp::create(atBegin, loc, weight->getValue().getShapedType(),
                              FlatSymbolRefAttr::get(weight->getSymNameAttr()));
  }
  return use;
}

Value EntryBuilder::allocate(MemRefType type, Location loc) {
  OpBuilder atBegin = OpBuilder::atBlockBegin(&entry.getBody().front());
  return plan::StorageOp::create(atBegin, loc, type, plan::Role::Temporary, StringAttr(), IntegerAttr(), TypeAttr(),
                                 IntegerAttr(), DenseI64ArrayAttr());
}

Value EntryBuilder::lookup(Value host) {
  if (Value value = values.lookup(host))
    return value;
  auto constant = host.getDefiningOp<nn::ConstantOp>();
  assert(constant && "is read before it is computed");
  return use(constant.getValue(), constant.getLoc());
}

Value EntryBuilder::reshape(Value value, ArrayRef<int64_t> shape, Location loc) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  return nn::ReshapeOp::create(builder, loc, type.clone(shape), value);
}

/// True if the group has a contraction of f32 operands, and its kernel reads f16.
static bool widensProduct(const OperatorGroup &group, plan::KernelOp kernel) {
  auto contractsFloats = [](Operation *op) {
    auto known = dyn_cast<nn::OperatorInterface>(op);
    return known && known.getWorkKind() == nn::WorkKind::Contraction &&
           llvm::any_of(op->getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type).isF32(); });
  };
  return llvm::any_of(group.members, contractsFloats) && llvm::any_of(kernel.getInputs(), [](BlockArgument input) {
           return getElementTypeOrSelf(input.getType()).isF16();
         });
}

LogicalResult EntryBuilder::launch(KernelBody &body) {
  plan::KernelOp kernel = body.getKernel();
  Location loc = body.getLoc();
  SmallVector<Value> operands;
  for (auto [argument, operand] : llvm::zip_equal(kernel.getInputs(), body.getOperands())) {
    auto table = dyn_cast<Attribute>(operand);
    Value value = table ? use(cast<ElementsAttr>(table), loc) : lookup(cast<Value>(operand));
    if (!value)
      return failure();
    operands.push_back(reshape(value, cast<RankedTensorType>(argument.getType()).getShape(), loc));
  }
  SmallVector<Type> types = llvm::map_to_vector(kernel.getOutputs(), [](BlockArgument out) { return out.getType(); });
  auto launch = plan::LaunchOp::create(builder, loc, TypeRange(types), FlatSymbolRefAttr::get(kernel.getSymNameAttr()),
                                       operands, ValueRange(), DenseI64ArrayAttr(), DenseI64ArrayAttr());
  plan::copyEngine(body.getGroup().result.getDefiningOp(), launch);
  if (widensProduct(body.getGroup(), kernel))
    plan::setWideProduct(launch);
  for (auto [result, value] : llvm::zip_equal(body.getGroup().results, launch.getResults()))
    map(result, reshape(value, cast<RankedTensorType>(result.getType()).getShape(), loc));
  return success();
}

} // namespace nacre::kernels
