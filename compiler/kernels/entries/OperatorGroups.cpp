// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Describes the operators to the fusion policy.
// 2. Turns its groups of nodes into groups of operators.

#include "compiler/kernels/entries/OperatorGroups.h"
#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/bodies/TableReads.h"
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

Operation *getWritten(Operation *op) {
  if (nn::UnpoolOp unpool = getUnpooled(op))
    return unpool;
  return getTransposedProduct(op);
}

namespace {

//===----------------------------------------------------------------------===//
// 1. Description of operators
//===----------------------------------------------------------------------===//

WorkKind getWorkKind(Operation *op) { return cast<nn::OperatorInterface>(op).getWorkKind(); }

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
FusionRole getSeparableRole(nn::ConvOp op) {
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  auto isKnown = [](Value value) {
    Type type = cast<RankedTensorType>(value.getType()).getElementType();
    return type.isF32() || type.isF16();
  };
  if (!isKnown(op.getInput()) || !isKnown(op.getFilter()) || !isKnown(op.getResult()))
    return {};
  const int64_t rank = filter.getRank(), inputs = filter.getDimSize(rank - 2), outputs = filter.getDimSize(rank - 1);
  const int64_t groups = op.getGroups(), taps = computeProduct(filter.getShape().drop_back(2));
  auto result = cast<RankedTensorType>(op.getResult().getType());
  constexpr int64_t mostTaps = 49; // Loaders unroll all taps, so more taps would be too much code.
  if (groups > 1 && inputs == 1 && outputs == groups && taps <= mostTaps)
    return roles::Depthwise{double(result.getNumElements()) * double(taps)};
  if (groups == 1 && taps == 1 && llvm::all_of(op.getStrides(), [](int64_t stride) { return stride == 1; }))
    return roles::Pointwise{result.getShape().back()};
  return {};
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
    Operation *written = getWritten(op);
    Operation *work = written ? written : op;
    const bool isOfOperand = isPart(op) || getUnpooled(op);
    const plan::Engine engine = plan::engineOf(isOfOperand ? op->getOperand(0).getDefiningOp() : op);
    FusionNode node;
    node.role = findRole(op, work, engine);
    node.kind = node.is<roles::TableRead>() ? WorkKind::Elementwise : getWorkKind(work);
    node.engine = int(engine);
    if (op->getNumResults() > 0)
      node.shape = numberOf(op->getResult(0));
    addOperands(work, node);
    node.escapes =
        llvm::any_of(op->getUsers(), [&](Operation *user) { return isReadElsewhere(user, *op->getBlock()); });
    node.becomesState = node.escapes && becomesState(op);
    node.isSmallResult = node.escapes && isSmallResult(op, engine);
    node.mayUpdate = mayUpdate(work, engine);
    addPrologue(op, engine, node);
    numbers[op] = nodes.size();
    nodes.push_back(std::move(node));
    operations.push_back(op);
  }

  /// Returns the role of `op`. `work` is the operator whose result it may write in another order.
  FusionRole findRole(Operation *op, Operation *work, plan::Engine engine) {
    if (getTableRead(op))
      return roles::TableRead{};
    if (picksRows(op))
      return roles::RowLookup{};
    if (isWidening(op))
      return roles::Widening{};
    if (auto attention = dyn_cast<nn::AttentionOp>(work); attention && attention.isOfCodes())
      return roles::CodedAttention{};
    if (auto code = dyn_cast<nn::PoolCodeOp>(op))
      return roles::MaximumCodes{numbers.lookup_or(getPoolOf(code), -1)};
    if (ArrayRef<int64_t> axes = getColumnAxes(op); !axes.empty()) {
      const int whole = numberOf(op->getOperand(0));
      const int index = rows.try_emplace({whole, axes.vec()}, rows.size()).first->second;
      return roles::RowReduction{index, whole, op->hasAttr(plan::kSeveralResults)};
    }
    if (engine == plan::Engine::Cpu && isPart(op))
      return roles::ProductPart{};
    if (engine != plan::Engine::Gpu)
      return {};
    if (auto convolution = dyn_cast<nn::ConvOp>(op))
      return getSeparableRole(convolution);
    return normalizesRows(op) ? FusionRole(roles::Normalization{}) : FusionRole();
  }

  void addOperands(Operation *work, FusionNode &node) const {
    for (Value operand : work->getOperands()) {
      Value read = readsThroughTransposes(work) ? readThroughTranspose(operand).source : operand;
      auto found = numbers.find(read.getDefiningOp());
      node.operands.push_back(found != numbers.end() ? found->second : getSplat(read) ? kSplatOperand : -1);
      ArrayRef<int64_t> shape = cast<RankedTensorType>(read.getType()).getShape();
      node.isOfChannels.push_back(shape.empty() || computeProduct(shape.drop_back()) == 1);
    }
  }

  static void addPrologue(Operation *op, plan::Engine engine, FusionNode &node) {
    if (const Lowering *lowering = findLowering(op))
      node.prologueOperand = lowering->prologueOperand;
    if (readsCodes(op) || (engine == plan::Engine::Gpu && canMakeLeft(op)))
      node.prologueOperand = 0;
    node.mayBeMade = engine != plan::Engine::Gpu || canBeInPrologue(op);
  }

  /// Returns the index of the shape of `value`.
  int numberOf(Value value) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    return shapes.try_emplace(shape.vec(), shapes.size()).first->second;
  }

  SmallVector<FusionNode> nodes;
  SmallVector<Operation *> operations;
  DenseMap<Operation *, int> numbers;
  std::map<std::vector<int64_t>, int> shapes;
  std::map<std::pair<int, std::vector<int64_t>>, int> rows; ///< Index of each pair of a shape and reduced axes.
};

} // namespace

//===----------------------------------------------------------------------===//
// 2. Groups
//===----------------------------------------------------------------------===//

SmallVector<OperatorGroup> listGroups(Block &block) {
  const Describer describer(block);
  SmallVector<OperatorGroup> groups;
  for (const FusionGroup &group : formGroups(describer.getNodes(), kSeparableOnGpus)) {
    OperatorGroup &operators = groups.emplace_back();
    operators.result = describer.getOperation(group.last)->getResult(0);
    for (int member : group.results)
      llvm::append_range(operators.results, describer.getOperation(member)->getResults());
    if (group.anchor >= 0)
      operators.anchor = describer.getOperation(group.anchor);
    operators.isRows = group.isRows;
    if (group.depthwise >= 0)
      operators.depthwise = describer.getOperation(group.depthwise);
    for (int member : group.members)
      operators.members.insert(describer.getOperation(member));
  }
  return groups;
}

} // namespace nacre::kernels
