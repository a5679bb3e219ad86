// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See KeptValues.h. It is enough to add results, because no pass may fuse, fold or change the layout of a result.

#include "compiler/import/entry/KeptValues.h"

#include "compiler/import/model/NodeNames.h"
#include "dialects/NearestNames.h"
#include "dialects/nn/KeptValues.h"
#include "dialects/nn/NnDialect.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nacre::importer {

/// Tensor that a node computes.
struct NodeTensor {
  StringRef name;
  Value value; ///< null if its size is known only at run time
  int64_t node;
  StringRef nodeName, op;
};

static SmallVector<NodeTensor> tensorsOf(const GraphView &graph, llvm::function_ref<Value(StringRef)> find) {
  SmallVector<NodeTensor> tensors;
  for (size_t index = 0; index < graph.getNumNodes(); ++index) {
    const GraphNode node = graph.getNode(index);
    for (StringRef result : node.results)
      if (!result.empty())
        tensors.push_back({result, find(result), int64_t(index), nameOf(node.loc), node.op});
  }
  return tensors;
}

static ArrayAttr describe(Builder &builder, const NodeTensor &tensor) {
  return builder.getArrayAttr({builder.getI64IntegerAttr(tensor.node), builder.getStringAttr(tensor.nodeName),
                               builder.getStringAttr(tensor.op)});
}

LogicalResult keepValues(func::FuncOp function, const ModelView &model, const GraphView &graph,
                         llvm::function_ref<Value(StringRef)> find, const KeptTensors &kept) {
  const SmallVector<NodeTensor> tensors = tensorsOf(graph, find);
  const auto names =
      llvm::map_to_vector(kept.names, [&](const std::string &name) { return model.normalizeName(name); });
  Builder builder(function.getContext());
  Operation *end = function.front().getTerminator();
  llvm::StringSet<> wanted, known;
  wanted.insert(names.begin(), names.end());
  SmallVector<StringRef> candidates;
  for (const NodeTensor &tensor : tensors) {
    if (!tensor.value || !isa<RankedTensorType>(tensor.value.getType()))
      continue;
    known.insert(tensor.name);
    candidates.push_back(tensor.name);
  }
  for (const std::string &name : names)
    if (!known.contains(name))
      return emitError(function.getLoc())
             << "--keep must name tensors of known size that a node computes, but there is no such tensor '"
             << toPrintable(name) << "'; the nearest names are " << nearestNames(name, candidates);

  // The attributes and types are set together, because each separate change would copy all of them.
  SmallVector<Value> values(end->getOperands());
  SmallVector<Attribute> notes;
  for (unsigned result = 0; result < function.getNumResults(); ++result) {
    DictionaryAttr note = function.getResultAttrDict(result);
    notes.push_back(note ? note : builder.getDictionaryAttr({}));
  }
  DenseMap<Value, unsigned> results; // index of the first result that has the value
  for (auto [number, value] : llvm::enumerate(values))
    results.try_emplace(value, number);
  for (const NodeTensor &tensor : tensors) {
    if (!known.contains(tensor.name))
      continue;
    auto [result, isNew] = results.try_emplace(tensor.value, values.size());
    if (!isNew) {
      NamedAttrList note(cast<DictionaryAttr>(notes[result->second]));
      if (!note.get(nn::keptAttr))
        note.set(nn::keptAttr, describe(builder, tensor));
      notes[result->second] = note.getDictionary(builder.getContext());
      continue;
    }
    const bool isAsked = kept.all || wanted.contains(tensor.name);
    const bool isKnown = isa<BlockArgument>(tensor.value) || tensor.value.getDefiningOp<nn::ConstantOp>();
    if (!isAsked || isKnown) {
      results.erase(result);
      continue;
    }
    values.push_back(tensor.value);
    notes.push_back(builder.getDictionaryAttr({builder.getNamedAttr(nn::nameAttr, builder.getStringAttr(tensor.name)),
                                               builder.getNamedAttr(nn::keptAttr, describe(builder, tensor))}));
  }
  end->setOperands(values);
  function.setFunctionType(
      builder.getFunctionType(function.getArgumentTypes(), llvm::to_vector(ValueRange(values).getTypes())));
  function.setAllResultAttrs(notes);
  return success();
}

} // namespace nacre::importer
