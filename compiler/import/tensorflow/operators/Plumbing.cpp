// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that compute nothing: identities, checks, and operators that are left over from training.

#include "compiler/import/tensorflow/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {
namespace {

void importIdentity(OperandBinder &node) {
  node.ignore({"message", "summarize", "first_n", "device_name", "tensor_name", "debug_urls", "gated_grpc"});
  node.setResult(node.getOperand(0));
}

/// Imports PlaceholderWithDefault, whose result is the default value. The user can replace it by --input. The
/// attributes repeat the value's type and shape.
void importDefault(OperandBinder &node) {
  node.ignore({"dtype", "shape"});
  node.setResult(node.getOperand(0));
}

void importIdentities(OperandBinder &node) {
  for (auto [index, operand] : llvm::enumerate(node.getOperands()))
    if (node.wantsResult(index))
      node.setResult(index, operand);
}

void importCheckedShape(OperandBinder &node) {
  SmallVector<int64_t> stated = node.getInts("shape");
  Ints shape = getShape(node.getOperand(0));
  bool agrees = !node.has("shape") ||
                (stated.size() == shape.size() && llvm::all_of(llvm::zip_equal(stated, shape), [](auto sizes) {
                   return ShapedType::isDynamic(std::get<0>(sizes)) || std::get<0>(sizes) == std::get<1>(sizes);
                 }));
  if (!agrees)
    node.error() << node.nameOf(0) << " must have the declared shape, but has [" << shape << "]";
  node.setResult(node.getOperand(0));
}

/// Imports an assignment, whose result is the assigned value. In a frozen graph, the variable is a constant, so only
/// this result matters.
void importAssign(OperandBinder &node) {
  node.ignore({"validate_shape", "use_locking"});
  node.setResult(node.getOperand(1));
}

} // namespace

void registerPlumbing(ImportRegistry &registry) {
  for (StringRef op : {"Identity", "RefIdentity"})
    registry.add(op, 1, {{"input", Holds::AnyValue}}, importIdentity);
  for (StringRef op : {"StopGradient", "PreventGradient", "CheckNumerics", "Snapshot", "DeepCopy", "DebugIdentity"})
    registry.add(op, 1, {{"input"}}, importIdentity);
  registry.add("PlaceholderWithDefault", 1, {{"input"}}, importDefault);
  registry.add("Print", 1, {{"input"}, {"data...?", Holds::AnyValue}}, importIdentity);
  registry.add("IdentityN", 1, {{"input...", Holds::AnyValue}}, importIdentities);
  registry.add("Assign", 1, {{"ref"}, {"value"}}, importAssign);
  registry.add("EnsureShape", 1, {{"input"}}, importCheckedShape);
}

} // namespace nacre::importer::tensorflow_format
