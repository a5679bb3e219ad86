// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has three parts: 1. the kernel and its arguments; 2. sweeps; 3. the end (epilogue and cut axis).

#include "compiler/kernels/bodies/KernelBody.h"
#include "compiler/kernels/bodies/QuantizedCasts.h"
#include "compiler/kernels/bodies/ScalarBodies.h"
#include "compiler/kernels/bodies/TableReads.h"
#include "dialects/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace nacre::kernels {

//===----------------------------------------------------------------------===//
// 1. The kernel and its arguments
//===----------------------------------------------------------------------===//

TypedAttr getSplat(Value host) {
  auto constant = host.getDefiningOp<nn::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return elements && elements.isSplat() ? cast<TypedAttr>(elements.getSplatValue<Attribute>()) : TypedAttr();
}

KernelBody::KernelBody(ModuleOp module, plan::KernelKind kind, StringRef name, const OperatorGroup &group, Location loc,
                       bool collapseRows)
    : group(group), loc(loc), builder(OpBuilder::atBlockEnd(module.getBody())), rowsCollapsed(collapseRows) {
  kernel = plan::KernelOp::create(builder, loc, builder.getStringAttr(name), kind,
                                  /*num_inputs=*/0, /*cut_axis=*/0, /*cut_extent=*/1, /*grain=*/1,
                                  /*encodings=*/ArrayAttr());
  SmallVector<Type> written;
  for (Value result : group.results)
    written.push_back(RankedTensorType::get(getShape(result), getStorageType(typeOf(result).getElementType())));
  builder.createBlock(&kernel.getBody(), {}, written, SmallVector<Location>(written.size(), loc));
}

SmallVector<int64_t> KernelBody::getShape(Value host) const {
  ArrayRef<int64_t> shape = typeOf(host).getShape();
  if (!rowsCollapsed || shape.size() < 2)
    return SmallVector<int64_t>(shape);
  return {computeProduct(shape.drop_back()), shape.back()};
}

Value KernelBody::addInput(Type type, Operand operand) {
  operands.push_back(operand);
  return kernel.getBody().insertArgument(operands.size() - 1, type, loc);
}

Value KernelBody::read(Value host, std::optional<ArrayRef<int64_t>> shape) {
  Value &argument = arguments[host];
  if (!argument) {
    SmallVector<int64_t> own = shape ? SmallVector<int64_t>(*shape) : getShape(host);
    argument = addInput(RankedTensorType::get(own, getStorageType(typeOf(host).getElementType())), host);
  }
  assert((!shape || cast<RankedTensorType>(argument.getType()).getShape() == *shape) && "is read under two shapes");
  return argument;
}

Value KernelBody::readOrMake(Value host) {
  if (!makes(host))
    return read(host);
  Value &tensor = made[host];
  if (tensor)
    return tensor;
  const Type elementType = typeOf(host).getElementType();
  const auto *result = llvm::find(group.results, host);
  Sweep sweep;
  sweep.shape = getShape(host);
  sweep.values = {host};
  if (result == group.results.end()) {
    sweep.destination = empty(sweep.shape, getStorageType(elementType));
  } else {
    sweep.destination = getTarget(result - group.results.begin());
    // The cut must not be in the last axis. Otherwise, units with different columns of the first result would all write
    // this result.
    setUncuttable({int64_t(getShape(group.results.front()).size()) - 1});
  }
  sweep.body = [&](OpBuilder &b, ValueRange values, ValueRange, Value) {
    return toStorage(b, loc, values[0], elementType);
  };
  return tensor = emitSweep(sweep);
}

Value KernelBody::readTable(ElementsAttr table) { return addInput(table.getType(), Attribute(table)); }

Value KernelBody::getAccumulator(Value anchorResult, Type elementType, bool moreWork) {
  isDirect =
      !moreWork && group.result == anchorResult && getStorageType(typeOf(anchorResult).getElementType()) == elementType;
  return isDirect ? getTarget() : empty(getShape(anchorResult), elementType);
}

Value KernelBody::empty(ArrayRef<int64_t> shape, Type elementType) {
  return tensor::EmptyOp::create(builder, loc, shape, elementType);
}

Value KernelBody::fill(TypedAttr value, Value destination) {
  Value scalar = arith::ConstantOp::create(builder, loc, value);
  return linalg::FillOp::create(builder, loc, scalar, destination).getResult(0);
}

void KernelBody::defineAs(Value host, Value tensor) {
  Type elementType = typeOf(host).getElementType();
  AffineMap identity = builder.getMultiDimIdentityMap(getShape(host).size());
  define(host, {{tensor}, {identity}, [=](OpBuilder &b, ValueRange scalars) {
                  return fromStorage(b, loc, scalars[0], elementType);
                }});
}

void KernelBody::defineParts(Value host) {
  const Definition whole = definitions.lookup(host);
  for (Operation *member : group.members) {
    auto part = dyn_cast<nn::SliceOp>(member);
    if (!part || part.getOperand() != host)
      continue;
    Definition definition = whole;
    auto toIndices = [&](ArrayRef<int64_t> numbers) { return getAsIndexOpFoldResult(getContext(), numbers); };
    for (Value &tensor : definition.tensors)
      tensor = tensor::ExtractSliceOp::create(builder, loc, tensor, toIndices(part.getStarts()),
                                              toIndices(part.getSizes()), toIndices(part.getSteps()));
    define(part, std::move(definition));
  }
}

//===----------------------------------------------------------------------===//
// 2. Sweeps
//===----------------------------------------------------------------------===//

AffineMap KernelBody::getBroadcastMap(ArrayRef<int64_t> operand, ArrayRef<int64_t> iteration) {
  assert(operand.size() <= iteration.size() && "must broadcast to the iteration");
  size_t missing = iteration.size() - operand.size();
  SmallVector<AffineExpr> results;
  for (auto [axis, size] : llvm::enumerate(operand)) {
    bool repeated = size == 1 && iteration[missing + axis] != 1;
    results.push_back(repeated ? builder.getAffineConstantExpr(0) : builder.getAffineDimExpr(missing + axis));
  }
  return AffineMap::get(iteration.size(), 0, results, getContext());
}

KernelBody::MemberStep KernelBody::stepOf(Operation *member) {
  auto mayPass = [&](Value value) { return !definitions.contains(value) && isMember(value.getDefiningOp()); };
  if (nn::GatherOp gather = getTableRead(member)) {
    Value table = read(gather.getOperand());
    if (std::optional<ByteIndex> index = readByteIndex(gather, mayPass))
      return {{index->bytes},
              [=](OpBuilder &b, ValueRange scalars) { return emitByteLookup(b, gather, *index, table, scalars[0]); }};
    return {{gather.getIndices()},
            [=](OpBuilder &b, ValueRange scalars) { return emitTableRead(b, gather, table, scalars[0]); }};
  }
  if (std::optional<QuantizedCast> quantized = readQuantizedCast(member, mayPass))
    return {{quantized->operand}, [quantized = *quantized, loc = member->getLoc()](OpBuilder &b, ValueRange scalars) {
              return quantized.emit(b, loc, scalars[0]);
            }};
  return {SmallVector<Value>(member->getOperands()),
          [=](OpBuilder &b, ValueRange scalars) { return emitScalar(b, member, scalars); }};
}

/// Collects the elementwise members that compute `host`. They are added to `inner`, operands first. The values that
/// they read from other operators are added to `leaves`.
void KernelBody::collectLeaves(Value host, SetVector<Value> &leaves, SetVector<Operation *> &inner) {
  Operation *op = host.getDefiningOp();
  if (definitions.contains(host) || !isMember(op)) {
    leaves.insert(host);
    return;
  }
  if (inner.contains(op))
    return;
  for (Value operand : stepOf(op).operands)
    collectLeaves(operand, leaves, inner);
  inner.insert(op);
}

/// Adds a tensor that only provides extents, because linalg needs an operand that determines each extent. It is needed
/// if no operand or destination uses a reduced dimension (a constant is added many times). Returns true if it was
/// added.
bool KernelBody::nameExtents(const Sweep &sweep, AffineMap destination, SmallVectorImpl<Value> &inputs,
                             SmallVectorImpl<AffineMap> &maps) {
  SmallVector<int64_t> extents;
  SmallVector<AffineExpr> dims;
  for (auto [dim, size] : llvm::enumerate(sweep.shape)) {
    auto isNamed = [dim = dim](AffineMap map) { return map.isFunctionOfDim(dim); };
    if (isNamed(destination) || llvm::any_of(maps, isNamed))
      continue;
    extents.push_back(size);
    dims.push_back(builder.getAffineDimExpr(dim));
  }
  if (dims.empty())
    return false;
  inputs.push_back(empty(extents, typeOf(sweep.destination).getElementType()));
  maps.push_back(AffineMap::get(sweep.shape.size(), 0, dims, getContext()));
  return true;
}

ValueRange KernelBody::emitSweepInto(const Sweep &sweep) {
  SetVector<Value> leaves;
  SetVector<Operation *> inner;
  for (Value value : sweep.values)
    collectLeaves(value, leaves, inner);

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Value leaf : leaves) {
    if (auto found = definitions.find(leaf); found != definitions.end()) {
      // The maps of a definition are indexed by its own shape. A value per row is broadcast to every column.
      const SmallVector<int64_t> shape = getShape(leaf);
      inputs.append(found->second.tensors);
      for (AffineMap map : found->second.maps)
        maps.push_back(shape == sweep.shape ? map : map.compose(getBroadcastMap(shape, sweep.shape)));
    } else if (!getSplat(leaf)) {
      inputs.push_back(read(leaf));
      maps.push_back(getBroadcastMap(getShape(leaf), sweep.shape));
    }
  }
  inputs.append(sweep.tensors);
  maps.append(sweep.maps);
  AffineMap destinationMap =
      sweep.destinationMap ? sweep.destinationMap : builder.getMultiDimIdentityMap(sweep.shape.size());
  const bool namesExtents = nameExtents(sweep, destinationMap, inputs, maps);
  SmallVector<Value> destinations = {sweep.destination};
  llvm::append_range(destinations, sweep.furtherDestinations);
  maps.append(destinations.size(), destinationMap);
  SmallVector<utils::IteratorType> iterators = sweep.iterators;
  iterators.resize(sweep.shape.size(), utils::IteratorType::parallel);

  auto build = [&](OpBuilder &b, Location, ValueRange arguments) {
    DenseMap<Value, Value> scalars;
    for (Value leaf : leaves) {
      Type elementType = typeOf(leaf).getElementType();
      if (auto found = definitions.find(leaf); found != definitions.end()) {
        size_t count = found->second.tensors.size();
        scalars[leaf] = found->second.scalar(b, arguments.take_front(count));
        arguments = arguments.drop_front(count);
      } else if (TypedAttr splat = getSplat(leaf)) {
        scalars[leaf] = arith::ConstantOp::create(b, loc, toCompute(splat));
      } else {
        scalars[leaf] = fromStorage(b, loc, arguments.front(), elementType);
        arguments = arguments.drop_front();
      }
    }
    for (Operation *op : inner) {
      const MemberStep step = stepOf(op);
      SmallVector<Value> values = llvm::map_to_vector(step.operands, [&](Value v) { return scalars.lookup(v); });
      Value scalar = step.emit(b, values);
      if (!scalar) {
        op->emitOpError("must have an element type that it is defined for, but is ") << op->getOperand(0).getType();
        failed = true;
        scalar = emitConstant(b, loc, getComputeType(typeOf(op->getResult(0)).getElementType()), 0);
      }
      scalars[op->getResult(0)] = scalar;
    }
    SmallVector<Value> values = llvm::map_to_vector(sweep.values, [&](Value v) { return scalars.lookup(v); });
    ValueRange old = arguments.take_back(destinations.size());
    ValueRange tensors = arguments.drop_back(destinations.size() + (namesExtents ? 1 : 0));
    SmallVector<Value> results = {sweep.body(b, values, tensors, old.front())};
    for (auto [further, _] : llvm::enumerate(sweep.furtherDestinations))
      results.push_back(toStorage(b, loc, values[further + 1], typeOf(sweep.values[further + 1]).getElementType()));
    linalg::YieldOp::create(b, loc, results);
  };
  return linalg::GenericOp::create(builder, loc, ValueRange(destinations).getTypes(), inputs, destinations, maps,
                                   iterators, build)
      .getResults();
}

//===----------------------------------------------------------------------===//
// 3. The end
//===----------------------------------------------------------------------===//

LogicalResult KernelBody::finish(Value accumulator) {
  SmallVector<Value> written;
  if (!isDirect) {
    Type elementType = typeOf(group.results.front()).getElementType();
    Sweep epilogue;
    epilogue.shape = getShape(group.results.front());
    epilogue.values = {group.results.front()};
    epilogue.destination = getTarget();
    for (unsigned further = 1; further < group.results.size(); ++further)
      if (!made.contains(group.results[further])) {
        epilogue.values.push_back(group.results[further]);
        epilogue.furtherDestinations.push_back(getTarget(further));
      }
    epilogue.body = [&](OpBuilder &b, ValueRange values, ValueRange, Value) {
      return toStorage(b, loc, values[0], elementType);
    };
    llvm::append_range(written, emitSweepInto(epilogue));
  } else {
    written.push_back(accumulator);
  }
  // Results of readOrMake() come after the other results.
  for (Value result : group.results)
    if (Value tensor = made.lookup(result))
      written.push_back(tensor);
  return finishWith(written);
}

LogicalResult KernelBody::finishWith(ValueRange written) {
  plan::YieldOp::create(builder, loc, written);
  kernel.setNumInputs(operands.size());
  if (!isCut)
    chooseCutAxis();
  return failure(failed);
}

void KernelBody::setCut(int64_t axis, int64_t extent, int64_t grain) {
  kernel.setCutAxis(axis);
  kernel.setCutExtent(extent);
  kernel.setGrain(grain);
  isCut = true;
}

/// Chooses the outermost axis with more than one index as the cut axis. Rows come before channels, so that a share is
/// contiguous.
void KernelBody::chooseCutAxis() {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(getTarget().getType()).getShape();
  std::optional<int64_t> chosen;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    if (llvm::is_contained(uncuttable, int64_t(axis)))
      continue;
    if (!chosen || (shape[*chosen] == 1 && size != 1))
      chosen = axis;
  }
  // An empty target gets no launch. Until the launch is removed, its kernel needs a valid cut.
  int64_t extent = shape.empty() ? 1 : std::max<int64_t>(1, shape[chosen.value_or(0)]);
  kernel.setCutAxis(chosen.value_or(0));
  kernel.setCutExtent(extent);
  kernel.setGrain(chosen ? 1 : extent);
}

} // namespace nacre::kernels
