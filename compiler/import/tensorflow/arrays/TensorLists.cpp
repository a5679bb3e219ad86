// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of TensorList. Its handle becomes the array's contents. Operators that read have an operand with the shape
// of the rows.

#include "compiler/import/tensorflow/arrays/Handlers.h"
#include "compiler/import/tensorflow/arrays/Rows.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

/// Returns a template of rows with the shape in the operand `index`, in which -1 is an unknown size.
Value readTemplate(OperandBinder &node, size_t index) {
  node.ignore({"shape_type", "num_elements"});
  Type elementType = node.getType("element_dtype", node.nn.types().getF32Type());
  if (!node.has("element_dtype") || !getConstant(node.getOperand(index)) || getRank(node.getOperand(index)) == 0)
    return makeTemplate(node, std::nullopt, elementType);
  FailureOr<SmallVector<int64_t>> shape = node.getIntegers(index);
  if (failed(shape))
    return {};
  for (int64_t &size : *shape)
    size = size < 0 ? ShapedType::kDynamic : size;
  return makeTemplate(node, Ints(*shape), elementType);
}

/// Operands: element_shape, num_elements.
void importReserve(OperandBinder &node) {
  Value rowTemplate = readTemplate(node, 0);
  FailureOr<int64_t> count = node.getInteger(1);
  if (!rowTemplate || failed(count))
    return;
  Value array = makeArray(node, *count);
  if (array && isTensor(rowTemplate) && *count > 0)
    array = joinRows(node, array, rowTemplate);
  if (array)
    node.setResult(array);
}

/// Operands: element_shape, max_num_elements.
void importEmptyList(OperandBinder &node) {
  node.ignore({"element_dtype", "shape_type"});
  node.setResult(makeArray(node, 0));
}

/// Operands: tensor, element_shape.
void importFromTensor(OperandBinder &node) {
  node.ignore({"element_dtype", "shape_type"});
  if (node.checkRank(0, 1))
    node.setResult(node.getOperand(0));
}

/// Operands: handle, element_shape.
void importStack(OperandBinder &node) {
  if (Value rowTemplate = readTemplate(node, 1))
    node.setResult(joinRows(node, node.getOperand(0), rowTemplate));
}

/// Operands: handle, index, item.
void importSetItem(OperandBinder &node) {
  node.ignore({"element_dtype", "resize_if_index_out_of_bounds"});
  node.setResult(writeRow(node, node.getOperand(0), 1, node.getOperand(2)));
}

/// Operands: handle, index, element_shape.
void importGetItem(OperandBinder &node) {
  if (Value rowTemplate = readTemplate(node, 2))
    node.setResult(readRow(node, node.getOperand(0), 1, rowTemplate));
}

/// Operands: handle, indices, element_shape.
void importGather(OperandBinder &node) {
  if (Value rowTemplate = readTemplate(node, 2))
    node.setResult(gatherRows(node, node.getOperand(0), 1, rowTemplate));
}

/// Operands: tensor, indices, element_shape, num_elements. The list has num_elements rows. If that is not positive, it
/// has the rows up to the largest index.
void importScatter(OperandBinder &node) {
  node.ignore({"element_dtype", "shape_type"});
  FailureOr<int64_t> count = node.getOperand(3) ? node.getInteger(3) : 0;
  if (failed(count) || !node.checkRank(0, 1))
    return;
  if (*count <= 0 && failed(node.getIntegers(1)))
    return; // the number of rows depends on the indices, so they must be known at compile time
  if (Value array = makeArray(node, std::max<int64_t>(*count, 0)))
    node.setResult(scatterRows(node, array, 1, node.getOperand(0)));
}

/// Operands: handle, tensor, indices.
void importScatterInto(OperandBinder &node) {
  node.ignore({"element_dtype"});
  if (node.checkRank(1, 1))
    node.setResult(scatterRows(node, node.getOperand(0), 2, node.getOperand(1)));
}

/// Operands: handle, element_shape, leading_dims.
void importConcat(OperandBinder &node) {
  node.ignore({"element_dtype", "shape_type"});
  concatRows(node, node.getOperand(0), node.nn.nothing());
}

/// Operands: tensor, element_shape, lengths.
void importSplit(OperandBinder &node) {
  node.ignore({"element_dtype", "shape_type"});
  node.setResult(splitRows(node, node.getOperand(0), 2));
}

/// Operands: handle. In the result, unknown sizes are -1, and so is an unknown shape.
void importElementShape(OperandBinder &node) {
  Type type = node.getType("shape_type", node.nn.types().getI32Type());
  Value rows = templateOf(node, node.getOperand(0));
  Value shape =
      isTensor(rows) ? node.nn.integers(getShape(rows).drop_front()) : node.nn.reshape(node.nn.integers(-1), {});
  node.setResult(node.nn.cast(shape, type));
}

/// Operands: handle, size. Rows after the new end are removed. Added rows count as not written.
void importResize(OperandBinder &node) {
  FailureOr<int64_t> count = node.getInteger(1);
  Value array = succeeded(count) ? makeArray(node, *count) : Value(), given = node.getOperand(0);
  if (!array)
    return;
  const int64_t kept = std::min(*count, countRows(given));
  if (isTensor(given)) {
    Value rest = makeTemplate(node, getShape(given).drop_front(), getElementType(given));
    Value first = node.nn.slice(given, 0, 0, kept);
    return node.setResult(
        kept == *count ? first : node.nn.concat({first, joinRows(node, makeArray(node, *count - kept), rest)}, 0));
  }
  SmallVector<Value> rows(getList(array)->begin(), getList(array)->end());
  llvm::copy(getList(given)->take_front(size_t(kept)), rows.begin());
  node.setResult(node.nn.list(rows));
}

/// Operands: handle.
void importLength(OperandBinder &node) { giveCount(node, node.getOperand(0)); }

/// Operands: handle, tensor.
void importPushBack(OperandBinder &node) {
  node.ignore({"element_dtype"});
  FailureOr<SmallVector<Value>> rows = takeRows(node, node.getOperand(0), node.nn.nothing());
  if (failed(rows))
    return;
  rows->push_back(node.getOperand(1));
  node.setResult(node.nn.list(*rows));
}

/// Operands: handle, element_shape.
void importPopBack(OperandBinder &node) {
  Value rowTemplate = readTemplate(node, 1);
  FailureOr<SmallVector<Value>> rows =
      rowTemplate ? takeRows(node, node.getOperand(0), rowTemplate) : FailureOr<SmallVector<Value>>();
  if (failed(rows))
    return;
  if (rows->empty()) {
    node.error() << node.nameOf(0) << " must have a row to take, but is empty";
    return;
  }
  node.setResult(1, rows->pop_back_val());
  node.setResult(0, node.nn.list(*rows));
}

} // namespace

void registerTensorLists(ImportRegistry &registry) {
  const OperandRule handle = {"input_handle", Holds::Rows}, shape = {"element_shape", Holds::Indices},
                    index = {"index", Holds::Indices}, indices = {"indices", Holds::Indices},
                    lengths = {"lengths", Holds::Indices};
  registry.add("TensorListReserve", 1, {shape, {"num_elements", Holds::Indices}}, importReserve);
  registry.add("EmptyTensorList", 1, {shape, {"max_num_elements", Holds::Indices}}, importEmptyList);
  registry.add("TensorListFromTensor", 1, {{"tensor"}, shape}, importFromTensor);
  registry.add("TensorListStack", 1, {handle, shape}, importStack);
  registry.add("TensorListSetItem", 1, {handle, index, {"item"}}, importSetItem);
  registry.add("TensorListGetItem", 1, {handle, index, shape}, importGetItem);
  registry.add("TensorListGather", 1, {handle, indices, shape}, importGather);
  registry.add("TensorListScatter", 1, {{"tensor"}, indices, shape}, importScatter);
  registry.add("TensorListScatterV2", 1, {{"tensor"}, indices, shape, {"num_elements", Holds::Indices}}, importScatter);
  registry.add("TensorListScatterIntoExistingList", 1, {handle, {"tensor"}, indices}, importScatterInto);
  registry.add("TensorListConcatV2", 1, {handle, shape, {"leading_dims", Holds::Indices}}, importConcat);
  registry.add("TensorListSplit", 1, {{"tensor"}, shape, lengths}, importSplit);
  registry.add("TensorListElementShape", 1, {handle}, importElementShape);
  registry.add("TensorListResize", 1, {handle, {"size", Holds::Indices}}, importResize);
  registry.add("TensorListLength", 1, {handle}, importLength);
  registry.add("TensorListPushBack", 1, {handle, {"tensor"}}, importPushBack);
  registry.add("TensorListPopBack", 1, {handle, shape}, importPopBack);
}

} // namespace nacre::importer::tensorflow_format
