// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Operators that an iteration may have.
// 2. Levels, and rows that products read.
// 3. Stores. A carried value is overwritten at the first level after which nothing reads the old value. The values that
//    are stored at this level may read the old value, but only in their own column.

#include "compiler/kernels/iterations/IterationPlan.h"

#include "compiler/kernels/bodies/ElementTypes.h"
#include "compiler/kernels/bodies/TableReads.h"
#include "dialects/StoredBytes.h"
#include "dialects/TensorTypes.h"
#include "dialects/plan/Notes.h"

#include <algorithm>

using namespace mlir;

namespace nacre::kernels {

namespace {

/// Largest number of weights that a workgroup may read in an iteration. Only one compute unit of the GPU reads them.
/// With more weights, launches that use all compute units are faster.
constexpr int64_t kMostWeights = int64_t(1) << 17;
/// Largest number of rows, because each row reads the same weights again.
constexpr int64_t kMostRows = 64;
/// Limit of shared memory in bytes: the amount that every device has, minus a reserve for emitters.
constexpr int64_t kMostBytes = 15 << 10;
/// Largest depth of a product. For a longer one, emitters of contractions add up the sum in blocks.
constexpr int64_t kMostDepth = 1024;
constexpr int64_t kFewestIterations = 2, kMostIterations = 4096;
/// Number of partial sums to compute in parallel, and the smallest number of steps of each.
constexpr int64_t kSums = 512, kFewestSteps = 32;

class Planner {
public:
  explicit Planner(nn::ForOp loop) : loop(loop), yield(loop.getYield()) {}

  std::optional<IterationPlan> run() {
    if (!isTaken())
      return std::nullopt;
    findLevels();
    collectStores();
    if (!placeCarried())
      return std::nullopt;
    arrange();
    if (countBytes() > kMostBytes)
      return std::nullopt;
    return std::move(plan);
  }

private:
  //===--------------------------------------------------------------------===//
  // 1. Accepted operators
  //===--------------------------------------------------------------------===//

  bool isInside(Value value) { return value.getParentBlock() == &loop.getBody().front(); }

  bool isRow(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getRank() == 2 && tensor.getDimSize(0) == plan.rows && tensor.getDimSize(1) > 0;
  }

  /// True if a row and a column identify an element of `value`: it has all rows of the batch, or one row for all of
  /// them.
  bool isReadable(Value value) {
    RankedTensorType type = typeOf(value);
    if (type.getRank() > 2 || type.getNumElements() == 0)
      return false;
    return type.getRank() < 2 || type.getDimSize(0) == plan.rows || type.getDimSize(0) == 1;
  }

  bool isProduct(nn::MatMulOp product) {
    const bool isOfFloats = llvm::all_of(product->getOperandTypes(), [](Type type) {
      return getComputeType(cast<RankedTensorType>(type).getElementType()).isF32();
    });
    return isOfFloats && isRow(product.getType()) && isRow(product.getLhs().getType()) && !isInside(product.getRhs()) &&
           typeOf(product.getRhs()).getRank() == 2 && columnsOf(product.getLhs()) <= kMostDepth;
  }

  bool isPart(nn::SliceOp slice) {
    return isRow(slice.getType()) && isRow(slice.getOperand().getType()) && slice.getStarts()[0] == 0 &&
           llvm::all_of(slice.getSteps(), [](int64_t step) { return step == 1; });
  }

  /// True if `concat` joins rows side by side, and only products or other rows read the result.
  bool isJoined(nn::ConcatOp concat) {
    return concat.getAxis() == 1 && isRow(concat.getType()) &&
           llvm::all_of(concat->getOperandTypes(), [&](Type type) { return isRow(type); }) &&
           llvm::all_of(concat->getUses(), [](OpOperand &use) {
             auto product = dyn_cast<nn::MatMulOp>(use.getOwner());
             return isa<nn::ConcatOp, nn::YieldOp>(use.getOwner()) || (product && product.getLhs() == use.get());
           });
  }

  bool isElementwise(Operation *op) {
    auto work = dyn_cast<nn::OperatorInterface>(op);
    return work && work.getWorkKind() == nn::WorkKind::Elementwise && op->getNumResults() == 1 && !getTableRead(op) &&
           isReadable(op->getResult(0)) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return isReadable(operand); });
  }

  bool isTaken(Operation *op) {
    if (auto product = dyn_cast<nn::MatMulOp>(op))
      return isProduct(product);
    if (auto slice = dyn_cast<nn::SliceOp>(op))
      return isPart(slice);
    if (auto concat = dyn_cast<nn::ConcatOp>(op))
      return isJoined(concat);
    return isa<nn::ConstantOp>(op) || isElementwise(op);
  }

  bool isTaken() {
    if (loop.getCount() || loop.getInitial().empty() || loop.getTripCount() < kFewestIterations ||
        loop.getTripCount() > kMostIterations || typeOf(loop.getInitial().front()).getRank() != 2)
      return false;
    plan.rows = typeOf(loop.getInitial().front()).getDimSize(0);
    auto areRows = [&](ValueRange values) {
      return llvm::all_of(values.getTypes(), [&](Type type) { return isRow(type); });
    };
    if (plan.rows < 1 || plan.rows > kMostRows || !areRows(loop.getInitial()) || !areRows(yield.getStacked()) ||
        !areRows(loop.getScannedArguments()))
      return false;
    int64_t weights = 0;
    for (Operation &op : loop.getBody().front().without_terminator()) {
      if (!isTaken(&op))
        return false;
      if (auto product = dyn_cast<nn::MatMulOp>(op))
        weights += typeOf(product.getRhs()).getNumElements();
    }
    return weights > 0 && weights <= kMostWeights;
  }

  //===--------------------------------------------------------------------===//
  // 2. Levels
  //===--------------------------------------------------------------------===//

  unsigned levelOf(Value value) { return levels.lookup(value); }

  void findLevels() {
    for (Operation &op : loop.getBody().front().without_terminator()) {
      unsigned level = 0;
      for (Value operand : op.getOperands())
        level = std::max(level, levelOf(operand));
      if (auto product = dyn_cast<nn::MatMulOp>(op)) {
        Value left = product.getLhs();
        level = levelOf(left) + 1;
        if (isInside(left) && !isa<BlockArgument>(left))
          plan.ownRows.insert(left);
        plan.ownRows.insert(product);
        products.push_back(product);
      }
      levels[op.getResult(0)] = level;
      last = std::max(last, level);
    }
  }

  //===--------------------------------------------------------------------===//
  // 3. Stores
  //===--------------------------------------------------------------------===//

  struct Placed {
    IterationStore store;
    unsigned level;
  };

  /// Adds a store of `store.value`. If the value is a concatenation, adds a store of each of its parts.
  void addStore(IterationStore store, unsigned level) {
    if (auto concat = store.value.getDefiningOp<nn::ConcatOp>(); concat && isInside(concat)) {
      for (Value part : concat.getOperands()) {
        IterationStore ofPart = store;
        ofPart.value = part;
        addStore(ofPart, level);
        store.column += columnsOf(part);
      }
      return;
    }
    stores.push_back({store, level});
  }

  void collectStores() {
    for (Value value : plan.ownRows)
      if (!value.getDefiningOp<nn::MatMulOp>() || isReadByProduct(value))
        addStore({value, IterationStore::Target::Row, value}, levelOf(value));
    for (auto [number, value] : llvm::enumerate(yield.getStacked()))
      if (!loop.getStacks()[number].use_empty())
        addStore({value, IterationStore::Target::Stack, {}, unsigned(number)}, levelOf(value));
    for (auto [number, value] : llvm::enumerate(yield.getCarried()))
      if (value != loop.getCarriedArguments()[number])
        addStore({value, IterationStore::Target::Carried, {}, unsigned(number)}, levelOf(value));
  }

  static bool isReadByProduct(Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      auto product = dyn_cast<nn::MatMulOp>(user);
      return product && product.getLhs() == value;
    });
  }

  std::optional<unsigned> carriedNumber(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    const unsigned carried = loop.getInitial().size();
    if (!argument || !isInside(value) || argument.getArgNumber() == 0 || argument.getArgNumber() > carried)
      return std::nullopt;
    return argument.getArgNumber() - 1;
  }

  /// Result of findReads(): `any` is true if a value reads the carried value `number`. `elsewhere` is true if it reads
  /// the carried value in other columns than its own.
  struct Reads {
    bool any = false, elsewhere = false;
    llvm::DenseSet<std::pair<Value, int>> seen; ///< Visited values, with 1 if only their own columns were read.
  };
  void findReads(Value value, unsigned level, unsigned number, bool isOwnColumn, Reads &reads) {
    if (!reads.seen.insert({value, int(isOwnColumn)}).second)
      return;
    if (std::optional<unsigned> found = carriedNumber(value)) {
      reads.any |= *found == number;
      reads.elsewhere |= *found == number && !isOwnColumn;
      return;
    }
    Operation *op = value.getDefiningOp();
    if (!op || !isInside(value) || isa<nn::MatMulOp>(op) || (plan.ownRows.contains(value) && levelOf(value) < level))
      return;
    for (Value operand : op->getOperands())
      findReads(operand, level, number, isOwnColumn && columnsOf(operand) == columnsOf(value), reads);
  }

  /// True if the old value of the carried value `number` may be overwritten at `level`.
  bool mayBeOverwritten(unsigned number, unsigned level) {
    Value old = loop.getCarriedArguments()[number];
    for (nn::MatMulOp product : products)
      if (product.getLhs() == old && level < levelOf(product))
        return false;
    return llvm::all_of(stores, [&](const Placed &placed) {
      Reads reads;
      findReads(placed.store.value, placed.level, number, columnsOf(placed.store.value) == columnsOf(old), reads);
      return !reads.any || placed.level < level || (placed.level == level && !reads.elsewhere);
    });
  }

  void setLevel(unsigned number, unsigned level) {
    for (Placed &placed : stores)
      if (placed.store.target == IterationStore::Target::Carried && placed.store.number == number)
        placed.level = std::max(placed.level, level);
  }

  /// Moves stores of carried values to later levels, until all reads of the old values come before. Returns false if no
  /// level is late enough.
  bool placeCarried() {
    SmallVector<std::optional<unsigned>> next(loop.getInitial().size());
    for (const Placed &placed : stores)
      if (placed.store.target == IterationStore::Target::Carried)
        next[placed.store.number] = std::max(next[placed.store.number].value_or(0), placed.level);
    for (auto [number, level] : llvm::enumerate(next))
      if (level)
        setLevel(number, *level);
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [number, level] : llvm::enumerate(next))
        if (level && !mayBeOverwritten(number, *level)) {
          if (*level == last)
            return false;
          setLevel(number, ++*level);
          changed = true;
        }
    }
    return true;
  }

  void arrange() {
    plan.levels.resize(last + 1);
    for (const Placed &placed : stores) {
      SmallVector<IterationColumns> &groups = plan.levels[placed.level].columns;
      const int64_t columns = columnsOf(placed.store.value);
      auto *group = llvm::find_if(groups, [&](const IterationColumns &group) { return group.columns == columns; });
      if (group == groups.end())
        group = groups.insert(groups.end(), IterationColumns{columns, {}});
      group->stores.push_back(placed.store);
    }
    for (nn::MatMulOp product : products)
      plan.levels[levelOf(product) - 1].products.push_back(product);
  }

  int64_t countBytes() {
    int64_t bytes = 0;
    auto add = [&](Type type) { bytes += storedBytes(getStorageTensorType(cast<RankedTensorType>(type))) / plan.rows; };
    for (Value carried : loop.getInitial())
      add(carried.getType());
    for (Value row : plan.ownRows)
      if (auto product = row.getDefiningOp<nn::MatMulOp>())
        bytes += countDepthParts(product) * columnsOf(row) * int64_t(sizeof(float));
      else
        add(row.getType());
    for (Value row : plan.ownRows)
      if (row.getDefiningOp<nn::MatMulOp>() && isReadByProduct(row))
        add(row.getType());
    return bytes;
  }

  nn::ForOp loop;
  nn::YieldOp yield;
  IterationPlan plan;
  DenseMap<Value, unsigned> levels;
  unsigned last = 0;
  SmallVector<nn::MatMulOp> products;
  SmallVector<Placed> stores;
};

} // namespace

int64_t columnsOf(Value value) { return rankOf(value) == 0 ? 1 : shapeOf(value).back(); }

int64_t countDepthParts(nn::MatMulOp product) {
  const int64_t columns = columnsOf(product.getResult()), depth = columnsOf(product.getLhs());
  int64_t parts = 1;
  while (2 * parts * columns <= kSums && depth % (2 * parts) == 0 && depth / (2 * parts) >= kFewestSteps)
    parts *= 2;
  return parts;
}

std::optional<IterationPlan> planIterations(nn::ForOp loop) { return Planner(loop).run(); }

bool isLoopKernel(Operation *loop) { return loop->hasAttr(plan::kOneKernel); }

} // namespace nacre::kernels
