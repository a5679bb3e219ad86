// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Describes the operators to the fusion policy.
// 2. Lowers each group to a kernel, and launches it at the position of its last operator.
// 3. Keeps reshapes, slices, concatenations and zero pads, which nacre-assign-storages turns into views. Lowers
//    operators with regions (Regions.h).

#include "compiler/kernels/entries/FormOperators.h"
#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/bodies/TableReads.h"
#include "compiler/kernels/entries/Regions.h"
#include "compiler/kernels/fusion/FusionPolicy.h"
#include "compiler/kernels/fusion/MaximumPools.h"
#include "compiler/kernels/fusion/ProductParts.h"
#include "compiler/kernels/fusion/ProductPrologues.h"
#include "compiler/kernels/lowerings/Lowering.h"
#include "compiler/kernels/lowerings/windows/WindowSource.h"
#include "dialects/nn/Variables.h"
#include "dialects/plan/Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

using namespace mlir;

namespace nacre::kernels {

namespace {

//===----------------------------------------------------------------------===//
// 1. Description of operators
//===----------------------------------------------------------------------===//

WorkKind getWorkKind(Operation *op) { return cast<nn::OperatorInterface>(op).getWorkKind(); }

/// Returns the operator whose kernel also computes the result of `op`, which is the operator's result in another order
/// or shape. Returns null if `op` has its own kernel.
Operation *getWritten(Operation *op) {
  if (nn::UnpoolOp unpool = getUnpooled(op))
    return unpool;
  return getTransposedProduct(op);
}

/// True if `op` needs no node. It is a transpose through which products read, or the kernel of the next operator
/// contains it.
bool isAbsorbed(Operation *op) {
  return isReadThrough(op) || (op->hasOneUse() && getWritten(*op->getUsers().begin()) == op);
}

/// True if `user`, which reads a value of `block`, is not a node of this block.
bool isReadElsewhere(Operation *user, Block &block) {
  return user->hasTrait<OpTrait::IsTerminator>() || isReadThrough(user) || user->getBlock() != &block;
}

/// True if all readers of `op` that are not nodes of its block are new values of states.
bool becomesState(Operation *op) {
  return llvm::all_of(op->getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (!isReadElsewhere(user, *op->getBlock()))
      return true;
    auto function = isa<func::ReturnOp>(user) ? user->getParentOfType<func::FuncOp>() : func::FuncOp();
    return function && function.getResultAttr(use.getOperandNumber(), nn::variableAttr);
  });
}

/// True if all readers of `op` that are not nodes are returns, and a GPU launch costs more than the work of `op`.
bool isSmallResult(Operation *op, plan::Engine engine) {
  constexpr int64_t mostElements = 1 << 16;
  return engine == plan::Engine::Gpu && op->getNumResults() == 1 &&
         cast<RankedTensorType>(op->getResult(0).getType()).getNumElements() <= mostElements &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           return isa<func::ReturnOp>(user) || !isReadElsewhere(user, *op->getBlock());
         });
}

/// True if the kernel of `work` may also write the update of a weight and its moments. Its sums must be f32 (or f16 on
/// a GPU), and each is written once. Gradients of biases are such sums, too. On a GPU, `work` may also be a map,
/// because updates begin with a map if all gradients are computed before the first update.
bool mayUpdate(Operation *work, plan::Engine engine) {
  auto reduce = dyn_cast<nn::ReduceOp>(work);
  const bool isSum = reduce && reduce.getKind() == nn::ReduceKind::Sum;
  const bool isMap = getWorkKind(work) == WorkKind::Elementwise && engine == plan::Engine::Gpu;
  return (isSum || isMap || isa<nn::MatMulOp, nn::FilterGradientOp>(work)) &&
         llvm::all_of(work->getOperandTypes(), [&](Type type) {
           Type element = cast<RankedTensorType>(type).getElementType();
           return element.isF32() || (element.isF16() && engine == plan::Engine::Gpu);
         });
}

/// True if `op` is a part of a product that the product's kernel may read while the product is in registers.
bool isPart(Operation *op) {
  auto slice = dyn_cast<nn::SliceOp>(op);
  auto product = slice ? slice.getOperand().getDefiningOp<nn::MatMulOp>() : nn::MatMulOp();
  return product && isReadInParts(product);
}

/// Largest number of columns of a row. Longer rows don't fit into the L1 cache, so several threads reduce them.
constexpr int64_t maxColumns = 4096;

/// Returns the axes that `op` reduces if a kernel of rows may do this. Otherwise, returns no axes. The axes must be the
/// last ones of a 32-bit type, or a single axis of i32. Other float reductions take few passes over memory and fuse
/// better as nests.
ArrayRef<int64_t> getColumnAxes(Operation *op) {
  auto reduce = dyn_cast<nn::ReduceOp>(op);
  if (!reduce || !reduce.getKeepDims() || reduce.getAxes().empty())
    return {};
  auto type = cast<RankedTensorType>(reduce.getOperand().getType());
  ArrayRef<int64_t> axes = reduce.getAxes();
  const bool areLast = axes.front() + int64_t(axes.size()) == type.getRank();
  const Type computed = getComputeType(type.getElementType());
  const bool isKnown = reduce.getKind() == nn::ReduceKind::Sum || reduce.getKind() == nn::ReduceKind::Max ||
                       reduce.getKind() == nn::ReduceKind::Min ||
                       (reduce.getKind() == nn::ReduceKind::Mean && computed.isF32());
  int64_t columns = 1;
  for (int64_t axis : axes)
    columns *= type.getDimSize(axis);
  const bool areInPlace = areLast || (axes.size() == 1 && computed.isInteger());
  return isKnown && areInPlace && (computed.isF32() || computed.isInteger(32)) && columns > 1 && columns <= maxColumns
             ? axes
             : ArrayRef<int64_t>();
}

/// True if `op` widens integers of 8 or 16 bits.
bool isWidening(Operation *op) {
  auto cast = dyn_cast<nn::CastOp>(op);
  auto widthOf = [](Value value) {
    return mlir::cast<RankedTensorType>(value.getType()).getElementType().getIntOrFloatBitWidth();
  };
  return cast && mlir::cast<RankedTensorType>(cast.getOperand().getType()).getElementType().isInteger() &&
         widthOf(cast.getOperand()) > 1 && widthOf(cast.getOperand()) < widthOf(cast.getResult());
}

/// True if `op` picks whole rows of a table. Emitters move a row as a unit, but single elements one by one.
bool picksRows(Operation *op) {
  auto gather = dyn_cast<nn::GatherOp>(op);
  return gather && int64_t(gather.getAxis()) + 1 < cast<RankedTensorType>(gather.getOperand().getType()).getRank();
}

/// Returns the role that `op` can have in a separable convolution. GPUs must support its float type.
SeparablePart getSeparablePart(nn::ConvOp op) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  auto isKnown = [](Value value) {
    Type type = cast<RankedTensorType>(value.getType()).getElementType();
    return type.isF32() || type.isF16();
  };
  if (!isKnown(op.getInput()) || !isKnown(op.getFilter()) || !isKnown(op.getResult()))
    return SeparablePart::None;
  const int64_t rank = filter.getRank(), inputs = filter.getDimSize(rank - 2), outputs = filter.getDimSize(rank - 1);
  const int64_t groups = op.getGroups(), taps = computeProduct(filter.getShape().drop_back(2));
  constexpr int64_t mostTaps = 49; // Loaders unroll all taps, so more taps would be too much code.
  if (groups > 1 && inputs == 1 && outputs == groups && taps <= mostTaps)
    return SeparablePart::Depthwise;
  const bool isPointwise = taps == 1 && llvm::all_of(op.getStrides(), [](int64_t stride) { return stride == 1; });
  return groups == 1 && isPointwise ? SeparablePart::Pointwise : SeparablePart::None;
}

void describeConvolution(nn::ConvOp op, FusionNode &node) {
  auto result = cast<RankedTensorType>(op.getResult().getType());
  node.separable = getSeparablePart(op);
  node.columns = result.getShape().back();
  ArrayRef<int64_t> filter = cast<RankedTensorType>(op.getFilter().getType()).getShape();
  if (node.separable == SeparablePart::Depthwise)
    node.multiplyAdds = double(result.getNumElements()) * double(computeProduct(filter.drop_back(2)));
}

/// True if the windows of `op` may read the codes from which its operand is dequantized.
bool readsCodes(Operation *op) {
  auto pool = dyn_cast<nn::PoolOp>(op);
  return ((pool && pool.getKind() == nn::PoolKind::Average) || isa<nn::LrnOp>(op)) &&
         findCodes(op->getOperand(0)).has_value();
}

class Describer {
public:
  explicit Describer(Block &block) {
    for (Operation &op : block.without_terminator())
      if (!isa<nn::ConstantOp>(op) && !isAbsorbed(&op))
        add(&op);
  }

  ArrayRef<FusionNode> getNodes() const { return nodes; }
  Operation *getOperation(int node) const { return operations[node]; }

private:
  void add(Operation *op) {
    FusionNode node;
    Operation *written = getWritten(op);
    Operation *work = written ? written : op;
    node.readsTable = getTableRead(op) != nullptr;
    node.kind = node.readsTable ? WorkKind::Elementwise : getWorkKind(work);
    if (auto attention = dyn_cast<nn::AttentionOp>(work))
      node.isOfCodes = attention.isOfCodes();
    const bool isPartOfProduct = isPart(op);
    const bool isOfOperand = isPartOfProduct || getUnpooled(op);
    const plan::Engine engine = plan::engineOf(isOfOperand ? op->getOperand(0).getDefiningOp() : op);
    node.engine = int(engine);
    for (Value operand : work->getOperands()) {
      Value read = readsThroughTransposes(work) ? readThroughTranspose(operand).source : operand;
      auto found = numbers.find(read.getDefiningOp());
      node.operands.push_back(found != numbers.end() ? found->second : getSplat(read) ? kSplatOperand : -1);
      ArrayRef<int64_t> shape = cast<RankedTensorType>(read.getType()).getShape();
      node.isOfChannels.push_back(shape.empty() || computeProduct(shape.drop_back()) == 1);
    }
    if (auto convolution = dyn_cast<nn::ConvOp>(op); convolution && engine == plan::Engine::Gpu)
      describeConvolution(convolution, node);
    if (op->getNumResults() > 0) {
      ArrayRef<int64_t> shape = cast<RankedTensorType>(op->getResult(0).getType()).getShape();
      node.shape = numberOf(shape);
    }
    if (ArrayRef<int64_t> axes = getColumnAxes(op); !axes.empty()) {
      node.wholeShape = numberOf(cast<RankedTensorType>(op->getOperand(0).getType()).getShape());
      node.rows = rows.try_emplace({node.wholeShape, axes.vec()}, rows.size()).first->second;
      node.hasSeveralResults = op->hasAttr(plan::kSeveralResults);
    }
    node.widens = isWidening(op);
    node.escapes =
        llvm::any_of(op->getUsers(), [&](Operation *user) { return isReadElsewhere(user, *op->getBlock()); });
    node.becomesState = node.escapes && becomesState(op);
    node.mayUpdate = mayUpdate(work, engine);
    node.isSmallResult = node.escapes && isSmallResult(op, engine);
    if (const Lowering *lowering = findLowering(op))
      node.prologueOperand = lowering->prologueOperand;
    if (readsCodes(op))
      node.prologueOperand = 0;
    node.isLookup = picksRows(op);
    node.isPart = engine == plan::Engine::Cpu && isPartOfProduct;
    if (auto code = dyn_cast<nn::PoolCodeOp>(op))
      node.maxima = numbers.lookup_or(getPoolOf(code), -1);
    if (engine == plan::Engine::Gpu)
      addPrologue(op, node);
    numbers[op] = nodes.size();
    nodes.push_back(std::move(node));
    operations.push_back(op);
  }

  int numberOf(ArrayRef<int64_t> shape) { return shapes.try_emplace(shape.vec(), shapes.size()).first->second; }

  static void addPrologue(Operation *op, FusionNode &node) {
    if (canMakeLeft(op))
      node.prologueOperand = 0;
    node.mayBeMade = canBeInPrologue(op);
    node.normalizesRows = normalizesRows(op);
  }

  SmallVector<FusionNode> nodes;
  SmallVector<Operation *> operations;
  DenseMap<Operation *, int> numbers;
  std::map<std::vector<int64_t>, int> shapes;
  std::map<std::pair<int, std::vector<int64_t>>, int> rows; ///< Index of each pair of a shape and reduced axes.
};

//===----------------------------------------------------------------------===//
// 2. Groups to kernels
//===----------------------------------------------------------------------===//

plan::KernelKind getKernelKind(WorkKind work) {
  switch (work) {
  case WorkKind::Contraction:
    return plan::KernelKind::Contraction;
  case WorkKind::Attention:
    return plan::KernelKind::Attention;
  case WorkKind::Row:
    return plan::KernelKind::Row;
  case WorkKind::Permute:
    return plan::KernelKind::Permute;
  case WorkKind::Indexed:
    return plan::KernelKind::Indexed;
  case WorkKind::Scan:
    return plan::KernelKind::Scan;
  case WorkKind::Serial:
    return plan::KernelKind::Serial;
  case WorkKind::Nest:
  case WorkKind::Elementwise:
    return plan::KernelKind::Nest;
  case WorkKind::Boundary:
    break;
  }
  llvm_unreachable("a boundary is in no kernel");
}

/// Returns the prefix of a kernel's name for its heaviest operator.
StringRef getStem(Operation *op) {
  if (auto unary = dyn_cast<nn::UnaryOp>(op))
    return stringifyUnaryKind(unary.getKind());
  if (auto binary = dyn_cast<nn::BinaryOp>(op))
    return stringifyBinaryKind(binary.getKind());
  return op->getName().stripDialect();
}

LogicalResult formKernel(EntryBuilder &entry, const OperatorGroup &group) {
  SmallVector<Location> locations;
  Operation *first = group.anchor ? group.anchor : group.members.front();
  if (Operation *written = getWritten(first)) {
    locations.push_back(written->getLoc());
    first = written;
  }
  for (Operation *member : group.members)
    locations.push_back(member->getLoc());
  Location loc = FusedLoc::get(entry.getBuilder().getContext(), locations);
  ModulePlan &plan = entry.getPlan();
  const plan::KernelKind kind = group.depthwise ? plan::KernelKind::Separable
                                : group.isRows  ? plan::KernelKind::Row
                                : !group.anchor ? plan::KernelKind::Nest
                                                : getKernelKind(getWorkKind(first));
  KernelBody body(plan.getModule(), kind, plan.makeKernelName(group.depthwise ? "separable" : getStem(first)), group,
                  loc, canCollapseRows(group));
  if (group.depthwise) {
    if (failed(lowerSeparable(body, cast<nn::ConvOp>(group.depthwise), cast<nn::ConvOp>(group.anchor))))
      return failure();
    return entry.launch(body);
  }
  if (group.isRows) {
    if (failed(lowerRows(body)))
      return failure();
    return entry.launch(body);
  }
  if (group.anchor && getUnpooled(group.anchor)) {
    if (failed(lowerImage(body, cast<nn::UnpoolOp>(first), cast<nn::ReshapeOp>(group.anchor))))
      return failure();
    return entry.launch(body);
  }
  const Lowering *lowering = group.anchor ? findLowering(group.anchor) : nullptr;
  if (group.anchor && !lowering)
    return group.anchor->emitOpError("must have a lowering, because it anchors a kernel");
  if (failed(lowering ? lowering->lower(body, group.anchor) : body.finish()))
    return failure();
  return entry.launch(body);
}

//===----------------------------------------------------------------------===//
// 3. Operators without kernels
//===----------------------------------------------------------------------===//

LogicalResult keepBoundary(EntryBuilder &entry, Operation *op) {
  if (hasRegions(op))
    return lowerRegions(entry, op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(entry.lookup(operand));
    if (!operands.back())
      return failure();
  }
  OperationState state(op->getLoc(), op->getName(), operands,
                       getStorageTensorType(cast<RankedTensorType>(op->getResult(0).getType())), op->getAttrs());
  Operation *kept = entry.getBuilder().create(state);
  if (auto pad = dyn_cast<nn::PadOp>(kept))
    pad.setValueAttr(toStorage(pad.getValue()));
  entry.map(op->getResult(0), kept->getResult(0));
  return success();
}

} // namespace

LogicalResult formOperators(EntryBuilder &entry, Block &block) {
  prepareLefts(block);
  prepareCodes(block);
  Describer describer(block);
  DenseMap<Operation *, OperatorGroup> groups;
  llvm::DenseSet<Operation *> taken;
  for (const FusionGroup &group : formGroups(describer.getNodes(), kSeparableOnGpus)) {
    OperatorGroup &operators = groups[describer.getOperation(group.last)];
    operators.result = describer.getOperation(group.last)->getResult(0);
    for (int member : group.results)
      llvm::append_range(operators.results, describer.getOperation(member)->getResults());
    if (group.anchor >= 0)
      operators.anchor = describer.getOperation(group.anchor);
    operators.isRows = group.isRows;
    if (group.depthwise >= 0)
      operators.depthwise = describer.getOperation(group.depthwise);
    for (int member : group.members) {
      operators.members.insert(describer.getOperation(member));
      taken.insert(describer.getOperation(member));
    }
  }
  for (Operation &op : block.without_terminator()) {
    if (auto group = groups.find(&op); group != groups.end()) {
      if (failed(formKernel(entry, group->second)))
        return failure();
    } else if (getWorkKind(&op) == WorkKind::Boundary && !isa<nn::ConstantOp>(op) && !taken.contains(&op)) {
      if (failed(keepBoundary(entry, &op)))
        return failure();
    }
  }
  return success();
}

} // namespace nacre::kernels
