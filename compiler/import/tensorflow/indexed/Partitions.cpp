// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partitions rows into parts, and joins parts again.
//
// The operand `partitions` decides the number of rows of each part. If it is not constant, the parts have
// data-dependent sizes (dialects/nn/Counts.h). The indices of joined rows must be constant, because they decide the
// size of the result.

#include "compiler/import/compositions/Selections.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/operands/Shapes.h"
#include "compiler/import/tensorflow/indexed/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

using nn::BinaryKind;

/// Returns `x` with its first `axes` axes joined to one axis of size `rows`.
Value toRows(NnBuilder &nn, Value x, int64_t axes, int64_t rows) {
  SmallVector<int64_t> shape{rows};
  llvm::append_range(shape, getShape(x).drop_front(axes));
  return nn.reshape(x, shape);
}

/// Operands: data, partitions. Result i has the rows of `data` whose element of `partitions` is i, in order.
void importDynamicPartition(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value data = node.getOperand(0), numbers = node.getOperand(1);
  int64_t count = node.getInt("num_partitions", 0);
  Ints shape = getShape(data), prefix = getShape(numbers);
  if (prefix.size() > shape.size() || shape.take_front(prefix.size()) != prefix) {
    node.error() << node.nameOf(1) << " must have the first axes of " << node.nameOf(0) << ", but is "
                 << describe(numbers) << " for " << describe(data);
    return;
  }
  if (count != static_cast<int64_t>(node.getNumResults())) {
    node.error() << "attribute 'num_partitions' must not exceed the results a node can have, but is " << count;
    return;
  }
  const int64_t rows = getType(numbers).getNumElements();
  Value all = toRows(nn, data, getRank(numbers), rows), flat = nn.reshape(numbers, rows);
  for (int64_t part = 0; part < count; ++part) {
    if (!node.wantsResult(part))
      continue;
    Value own = rows ? findTrue(nn, nn.binary(BinaryKind::Equal, flat, static_cast<double>(part))) : Value();
    node.setResult(part, rows ? nn.gather(all, own, 0) : all);
  }
}

/// Returns the index of each row of the result among the rows of all parts, or -1 if no part contains it. If several
/// parts contain a row, the last one counts. Fails after an error.
FailureOr<SmallVector<int64_t>> readOrder(OperandBinder &node, size_t parts) {
  SmallVector<int64_t> order;
  int64_t row = 0;
  for (size_t part = 0; part < parts; ++part) {
    FailureOr<SmallVector<int64_t>> places = node.getIntegers(part, /*mostAxes=*/maxRank);
    if (failed(places))
      return failure();
    for (int64_t place : *places) {
      if (place < 0 || place >= INT32_MAX)
        return node.error() << node.nameOf(part) << " must hold numbers from 0 to " << INT32_MAX - 1 << ", but holds "
                            << place;
      if (const auto known = static_cast<int64_t>(order.size()); place >= known) {
        if (!node.allowsConstant(place + 1 - known, sizeof(int64_t)))
          return failure();
        order.resize(place + 1, -1);
      }
      order[place] = row++;
    }
  }
  return order;
}

/// Operands: indices..., data... . Places the rows of each part at its indices. Rows without an index are undefined in
/// TensorFlow, and 0 in Nacre.
void importDynamicStitch(OperandBinder &node) {
  node.ignore({"N"});
  NnBuilder &nn = node.nn;
  const size_t parts = node.getNumOperands() / 2;
  if (node.getNumOperands() % 2) {
    node.error() << "each part must have both indices and rows, but there are "
                 << describeCount(node.getNumOperands(), "operand");
    return;
  }
  SmallVector<Value> rows;
  for (size_t part = 0; part < parts; ++part) {
    Value places = node.getOperand(part), data = node.getOperand(parts + part);
    Ints shape = getShape(data), prefix = getShape(places), rest = getShape(node.getOperand(parts));
    rest = rest.drop_front(std::min<size_t>(getRank(node.getOperand(0)), rest.size()));
    if (prefix.size() > shape.size() || shape.take_front(prefix.size()) != prefix ||
        shape.drop_front(prefix.size()) != rest || !isa<IntegerType>(getElementType(places)) ||
        getElementType(data) != getElementType(node.getOperand(parts))) {
      node.error() << node.nameOf(parts + part) << " must have a row for each index, of the same shape as in the first "
                   << "part, but is " << describe(data) << " for " << describe(places);
      return;
    }
  }
  FailureOr<SmallVector<int64_t>> order = readOrder(node, parts);
  if (failed(order))
    return;
  for (size_t part = 0; part < parts; ++part)
    rows.push_back(toRows(nn, node.getOperand(parts + part), getRank(node.getOperand(part)),
                          getType(node.getOperand(part)).getNumElements()));
  if (llvm::is_contained(rows, Value()))
    return node.setResult({});
  SmallVector<int64_t> shape(getShape(rows.front()));
  if (llvm::is_contained(*order, -1)) {
    shape.front() = 1;
    rows.push_back(nn.splat(RankedTensorType::get(shape, getElementType(rows.front())), 0));
  }
  Value all = nn.concat(rows, 0);
  if (!all)
    return node.setResult({});
  for (int64_t &row : *order)
    row = row < 0 ? getShape(all).front() - 1 : row;
  shape.front() = static_cast<int64_t>(order->size());
  if (node.checkFits(shape))
    node.setResult(order->empty() ? all : nn.gather(all, nn.integers(*order), 0));
}

/// Operands: a_indices, a_values, a_shape, b. The result is `b` plus the values at their indices.
void importSparseTensorDenseAdd(OperandBinder &node) {
  Value places = node.getOperand(0), values = node.getOperand(1), dense = node.getOperand(3);
  const int64_t number = getType(values).getNumElements(), rank = getRank(dense);
  if (node.checkShape(0, {number, rank}, "the place of each value") && node.checkShape(1, number, "values") &&
      node.checkShape(2, rank, "the sizes of the sparse tensor") &&
      checkRule(node, nn::scatterNdShape(getShape(dense), getShape(places), getShape(values))))
    node.setResult(node.nn.infer<nn::ScatterNdOp>(nn::ScatterKind::Add, dense, places, values));
}

} // namespace

void registerPartitions(ImportRegistry &registry) {
  registry.add("DynamicPartition", 1, {{"data"}, {"partitions", Holds::Indices}}, importDynamicPartition);
  for (const char *op : {"DynamicStitch", "ParallelDynamicStitch"})
    registry.add(op, 1, {{"indices_and_data..."}}, importDynamicStitch);
  registry.add("SparseTensorDenseAdd", 1,
               {{"a_indices", Holds::Indices, 'I'},
                {"a_values", Holds::Numbers, 'T'},
                {"a_shape", Holds::Indices, 'I'},
                {"b", Holds::Numbers, 'T'}},
               importSparseTensorDenseAdd);
}

} // namespace nacre::importer::tensorflow_format
