// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1. Kernels of rows: groups of products by constants, normalizations, lookups and elementwise operators.
// 2. Runs: kernels whose result only the next kernel reads.
// 3. Chains: parts of runs that begin and end at narrow tensors.

#include "compiler/kernels/cpu/RowChains.h"

#include "compiler/kernels/entries/OperatorGroups.h"
#include "dialects/StoredBytes.h"
#include "dialects/TensorTypes.h"

using namespace mlir;

namespace nacre::kernels {

int64_t countRows(Value tensor) { return llvm::product_of(shapeOf(tensor).drop_back()); }

bool readsRows(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto gather = dyn_cast<nn::GatherOp>(op))
    return operand.get() == gather.getIndices();
  auto product = dyn_cast<nn::MatMulOp>(op);
  return !product || operand.getOperandNumber() == 0;
}

namespace {

//===----------------------------------------------------------------------===//
// 1. Kernels of rows
//===----------------------------------------------------------------------===//

/// Group that computes each row of its result from the same row of its operands.
struct RowKernel {
  llvm::SetVector<Operation *> operators; ///< Members that compute rows.
  Value input;                            ///< Rows that the anchor reads, perhaps through a prologue. May be null.
  Value result;
  int64_t elementBytes = 1; ///< Size of the largest elements of matrices and tables.
};

bool isElementwise(Operation *op) { return cast<nn::OperatorInterface>(op).getWorkKind() == nn::WorkKind::Elementwise; }

/// True if `operand` has the rows of `result`, or one row that is broadcast.
bool hasRows(Value operand, Value result) {
  return rankOf(operand) < 2 || countRows(operand) == 1 || countRows(operand) == countRows(result);
}

/// True if row i of the result of `op` depends only on row i of operands, on broadcast rows, and on constant matrices
/// or tables.
bool computesRows(Operation *op) {
  Value result = op->getResult(0);
  if (auto product = dyn_cast<nn::MatMulOp>(op))
    return product.getRhs().getDefiningOp<nn::ConstantOp>() && rankOf(product.getRhs()) == 2 &&
           rankOf(product.getLhs()) == rankOf(result);
  if (auto normalize = dyn_cast<nn::NormalizeOp>(op))
    return normalize.getAxes() == ArrayRef<int64_t>{rankOf(result) - 1};
  if (auto gather = dyn_cast<nn::GatherOp>(op))
    return gather.getAxis() == 0 && rankOf(gather.getOperand()) == 2 &&
           rankOf(result) == rankOf(gather.getIndices()) + 1;
  return isElementwise(op) && !isa<nn::BroadcastOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return hasRows(operand, result); });
}

/// Returns the rows that `op` reads through operators of `kernel`. Returns null if it reads only constants or indices.
Value findInput(Operation *op, const RowKernel &kernel) {
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    Operation *source = value.getDefiningOp();
    if (!readsRows(operand) || isa<nn::GatherOp>(op) || isa_and_nonnull<nn::ConstantOp>(source) || rankOf(value) < 2 ||
        countRows(value) != countRows(kernel.result))
      continue;
    return kernel.operators.contains(source) ? findInput(source, kernel) : value;
  }
  return {};
}

bool readsAny(Operation *op, const llvm::SetVector<Operation *> &sources) {
  return llvm::any_of(op->getOperands(), [&](Value operand) { return sources.contains(operand.getDefiningOp()); });
}

/// Returns the members of `group` that compute rows of its result, or `nullopt` if an operator after them does not.
/// Members that compute other values, such as a row that is broadcast, stay outside.
std::optional<llvm::SetVector<Operation *>> listInside(const OperatorGroup &group) {
  llvm::SetVector<Operation *> inside;
  for (Operation *op : group.members) {
    if (op->getNumResults() == 1 && shapeOf(op->getResult(0)) == shapeOf(group.result) && computesRows(op))
      inside.insert(op);
    else if (readsAny(op, inside))
      return std::nullopt;
  }
  return inside;
}

/// Appends `op` to `placed`, after those operators inside that it needs.
void place(Operation *op, const llvm::SetVector<Operation *> &inside, llvm::SetVector<Operation *> &placed) {
  for (Value operand : op->getOperands())
    if (Operation *source = operand.getDefiningOp(); inside.contains(source) && !placed.contains(source))
      place(source, inside, placed);
  placed.insert(op);
}

/// Returns a group whose anchor and result compute rows; `nullopt` for other groups.
std::optional<RowKernel> describe(const OperatorGroup &group) {
  if (group.results.size() != 1 || group.depthwise || rankOf(group.result) < 2)
    return std::nullopt;
  std::optional<llvm::SetVector<Operation *>> inside = listInside(group);
  Operation *last = group.result.getDefiningOp(), *anchor = group.anchor ? group.anchor : last;
  if (!inside || !inside->contains(anchor) || !inside->contains(last))
    return std::nullopt;
  RowKernel rows;
  rows.result = group.result;
  // Other operators come just before their readers, so that launches are named after the anchor.
  for (Operation *op : *inside) {
    if (!isElementwise(op) || readsAny(op, rows.operators))
      place(op, *inside, rows.operators);
    for (OpOperand &operand : op->getOpOperands())
      if (!readsRows(operand))
        rows.elementBytes = std::max(rows.elementBytes, bytesOfElement(elementTypeOf(operand.get())));
  }
  place(last, *inside, rows.operators);
  rows.input = findInput(anchor, rows);
  return rows;
}

//===----------------------------------------------------------------------===//
// 2. Runs
//===----------------------------------------------------------------------===//

/// True if `next` reads the result of `kernel` as its input, and no other kernel does.
bool isFollowedBy(const RowKernel &kernel, const RowKernel &next) {
  return next.input == kernel.result && llvm::all_of(kernel.result.getUses(), [&](OpOperand &use) {
           return next.operators.contains(use.getOwner()) && readsRows(use);
         });
}

/// Returns maximal sequences of kernels, each of which is followed by the next one.
SmallVector<SmallVector<RowKernel>> findRuns(Block &block, llvm::function_ref<bool(Operation *)> isGiven) {
  SmallVector<SmallVector<RowKernel>> runs;
  DenseMap<Value, size_t> runOf; ///< Index of the run that ends with a value.
  for (const OperatorGroup &group : listGroups(block)) {
    std::optional<RowKernel> rows = llvm::all_of(group.members, isGiven) ? describe(group) : std::nullopt;
    if (!rows)
      continue;
    auto before = runOf.find(rows->input);
    const bool continues = before != runOf.end() && isFollowedBy(runs[before->second].back(), *rows);
    const size_t run = continues ? before->second : runs.size();
    if (!continues)
      runs.emplace_back();
    runOf[rows->result] = run;
    runs[run].push_back(std::move(*rows));
  }
  return runs;
}

//===----------------------------------------------------------------------===//
// 3. Chains
//===----------------------------------------------------------------------===//

/// Joins consecutive kernels. A kernel in the middle has both its input and its result in memory.
RowOperators join(ArrayRef<RowKernel> kernels, ArrayRef<int64_t> bytes) {
  RowOperators chain;
  chain.result = kernels.back().result;
  chain.sizes = {countRows(chain.result), bytes.front(), 0, bytes.back(), 1};
  for (auto [index, kernel] : llvm::enumerate(kernels)) {
    chain.operators.insert_range(kernel.operators);
    chain.sizes.elementBytes = std::max(chain.sizes.elementBytes, kernel.elementBytes);
    const int64_t input = index == 0 ? 0 : bytes[index];
    const int64_t result = index + 1 == kernels.size() ? 0 : bytes[index + 1];
    chain.sizes.bytesBetween = std::max(chain.sizes.bytesBetween, input + result);
  }
  return chain;
}

/// Appends the chains of `run`. From the start of a chain, sizes of tensors grow up to the largest one. Then they
/// shrink down to the end.
void divideRun(ArrayRef<RowKernel> run, SmallVectorImpl<RowOperators> &chains) {
  Value input = run.front().input;
  SmallVector<int64_t> bytes = {input ? storedBytes(typeOf(input)) : 0};
  for (const RowKernel &kernel : run)
    bytes.push_back(storedBytes(typeOf(kernel.result)));
  for (size_t first = 0; first < run.size();) {
    if (bytes[first + 1] <= bytes[first]) {
      ++first;
      continue;
    }
    size_t next = first + 1;
    while (next < run.size() && bytes[next + 1] >= bytes[next])
      ++next;
    size_t end = next;
    for (; next < run.size() && bytes[next + 1] <= bytes[next]; ++next)
      if (bytes[next + 1] < bytes[next])
        end = next + 1;
    if (bytes[end] < bytes[end - 1])
      chains.push_back(join(run.slice(first, end - first), ArrayRef(bytes).slice(first, end - first + 1)));
    first = end;
  }
}

} // namespace

SmallVector<RowOperators> findRowChains(Block &block, llvm::function_ref<bool(Operation *)> isGiven) {
  SmallVector<RowOperators> chains;
  for (ArrayRef<RowKernel> run : findRuns(block, isGiven))
    divideRun(run, chains);
  return chains;
}

} // namespace nacre::kernels
