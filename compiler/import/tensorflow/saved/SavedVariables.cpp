// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a graph's variables.

#include "compiler/import/tensorflow/saved/SavedVariables.h"

#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/tensorflow/graph/File.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {

StringRef getSharedName(const tensorflow::NodeDef &variable) {
  const tensorflow::AttrValue *attribute = findAttribute(variable, "shared_name");
  return attribute && !attribute->s().empty() ? attribute->s() : variable.name();
}

/// Two nodes are the same variable if they have the same shared name in the same container. Nodes without a shared name
/// are never merged.
void uniteVariables(tensorflow::GraphDef &graph) {
  llvm::StringMap<StringRef> firsts, replaced;
  for (const tensorflow::NodeDef &node : graph.node()) {
    const tensorflow::AttrValue *shared = findAttribute(node, "shared_name"),
                                *container = findAttribute(node, "container");
    if (node.op() != "VarHandleOp" || !shared || shared->s().empty())
      continue;
    auto [first, isFirst] = firsts.try_emplace((container ? container->s() : "") + '\0' + shared->s(), node.name());
    if (!isFirst)
      replaced[node.name()] = first->second;
  }
  if (replaced.empty())
    return;
  for (tensorflow::NodeDef &node : *graph.mutable_node())
    for (std::string &operand : *node.mutable_input())
      if (auto first = replaced.find(StringRef(operand).split(':').first); first != replaced.end())
        operand = first->second.str();
}

std::optional<CheckpointPart> SavedVariables::find(const CheckedNode &variable, int id) const {
  if (!bundle)
    return std::nullopt;
  if (auto part = restored.find(id); part != restored.end())
    return part->second;
  if (auto key = objectKeys.find(getSharedName(*variable.proto)); key != objectKeys.end())
    return CheckpointPart{key->second, ""};
  if (bundle->contains(variable.getName()))
    return CheckpointPart{variable.getName().str(), ""};
  return std::nullopt;
}

/// Reports an error if a tensor cannot be the value of the variable, because its type or shape differs.
static LogicalResult checkType(const CheckedNode &variable, RankedTensorType type, Location loc) {
  const tensorflow::AttrValue *dtype = findAttribute(*variable.proto, "dtype");
  const tensorflow::AttrValue *stated = findAttribute(*variable.proto, "shape");
  std::optional<SmallVector<int64_t>> shape = stated ? readShape(stated->shape()) : std::nullopt;
  bool agrees = !dtype || fromDataType(dtype->type(), loc.getContext()) == type.getElementType();
  // A shape without axes may stand for an unknown shape.
  if (shape && !shape->empty())
    agrees &= shape->size() == static_cast<size_t>(type.getRank()) &&
              llvm::all_of(llvm::zip_equal(*shape, type.getShape()), [](auto sizes) {
                return ShapedType::isDynamic(std::get<0>(sizes)) || std::get<0>(sizes) == std::get<1>(sizes);
              });
  if (agrees)
    return success();
  return emitError(loc) << "the checkpoint must hold a value of this variable's type and shape, but holds "
                        << describe(type) << "; pass the checkpoint of this graph";
}

FailureOr<ElementsAttr> SavedVariables::read(const CheckedNode &variable, int id, Location loc) {
  if (!bundle)
    return emitError(loc) << "a variable's value is in a checkpoint; pass it with --checkpoint, or freeze the graph";
  std::optional<CheckpointPart> part = find(variable, id);
  if (!part)
    return emitError(loc) << "the checkpoint does not have this variable; pass the checkpoint of this graph";
  // Keys and slices in graphs do not contain the byte 0.
  ElementsAttr &value = values[part->key + '\0' + part->slice];
  if (!value) {
    FailureOr<StoredTensor> stored = bundle->read(part->key, part->slice, loc);
    if (failed(stored))
      return failure();
    value = makeConstant(*stored, part->key);
  }
  if (failed(checkType(variable, cast<RankedTensorType>(value.getType()), loc)))
    return failure();
  return value;
}

} // namespace nacre::importer::tensorflow_format
