// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A format of our own, as small as one can be.
//
// How:  1. the operators, which no other file knows,
//       2. the reader, which checks all that the walk relies on,
//       3. the row for the list of formats.

#include "test/unit/compiler/import/ToyFormat.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/model/CutModel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace nacre::importer::toy_format {
namespace {

//===----------------------------------------------------------------------===//
// 1. Operators
//===----------------------------------------------------------------------===//

const ImportRegistry &getRegistry() {
  static const ImportRegistry registry = [] {
    ImportRegistry result;
    result.add("add", 1, {{"a", Holds::Numbers, 'T'}, {"b", Holds::Numbers, 'T'}},
               [](OperandBinder &node) { node.setResult(node.nn.add(node.getOperand(0), node.getOperand(1))); });
    result.add("relu", 1, {{"x", Holds::Numbers}},
               [](OperandBinder &node) { node.setResult(node.nn.unary(nn::UnaryKind::Relu, node.getOperand(0))); });
    result.add("hardsigmoid", 1, {{"x", Holds::Floats}},
               [](OperandBinder &node) { node.setResult(hardSigmoid(node.nn, node.getOperand(0), 0.2, 0.5)); });
    return result;
  }();
  return registry;
}

//===----------------------------------------------------------------------===//
// 2. The reader
//===----------------------------------------------------------------------===//

class ToyModel : public ModelView, public GraphView {
public:
  ToyModel(FileBytes bytes, Location loc) : GraphView(loc), bytes(std::move(bytes)) {}

  LogicalResult read();

  GraphView &getGraph() override { return *this; }
  SmallVector<GraphValue> getInputs() const override { return inputs; }
  SmallVector<GraphValue> getOutputs() const override { return outputs; }
  size_t getNumNodes() const override { return nodes.size(); }
  GraphNode getNode(size_t index) const override { return nodes[index]; }
  FailureOr<SmallVector<NamedAttribute>> readAttributes(size_t) override { return SmallVector<NamedAttribute>(); }
  bool hasConstant(StringRef name) const override { return constants.contains(name); }
  FailureOr<ElementsAttr> readConstant(StringRef name) override { return constants.lookup(name); }

private:
  LogicalResult readLine(ArrayRef<StringRef> words);
  LogicalResult define(StringRef name) {
    return names.insert(name).second ? success() : emitError(getLocation(name)) << "must be defined once";
  }

  FileBytes bytes;
  SmallVector<GraphValue> inputs, outputs;
  SmallVector<GraphNode> nodes;
  llvm::StringMap<ElementsAttr> constants;
  llvm::StringSet<> names;
};

LogicalResult ToyModel::readLine(ArrayRef<StringRef> words) {
  Builder builder(GraphView::getLocation().getContext());
  StringRef first = words.front();
  if (words.size() < 2)
    return emitError(GraphView::getLocation()) << "a line must have two words or more, but is '" << first << "'";
  if (first == "output") {
    outputs.push_back({words[1], {}});
    return names.contains(words[1]) ? success() : emitError(getLocation(words[1])) << "must be computed by a node";
  }
  if (first == "input") {
    GraphValue input{words[1], {builder.getF32Type(), {}, SmallVector<Dimension>()}};
    for (StringRef word : words.drop_front(2)) {
      Dimension dim;
      if (word != "?" && word.getAsInteger(10, dim.size))
        return emitError(getLocation(words[1])) << "a dimension must be a number or ?, but is '" << word << "'";
      input.type.shape->push_back(dim);
    }
    inputs.push_back(std::move(input));
    return define(words[1]);
  }
  if (first == "constant") {
    SmallVector<float> numbers;
    for (StringRef word : words.drop_front(2)) {
      double number;
      if (word.getAsDouble(number))
        return emitError(getLocation(words[1])) << "must hold numbers, but holds '" << word << "'";
      numbers.push_back(static_cast<float>(number));
    }
    auto type = RankedTensorType::get(static_cast<int64_t>(numbers.size()), builder.getF32Type());
    constants[words[1]] = DenseElementsAttr::get(type, ArrayRef(numbers));
    return define(words[1]);
  }
  if (words.size() < 3 || words[1] != "=")
    return emitError(getLocation(first)) << "must be a node: result = operator operands";
  for (StringRef operand : words.drop_front(3))
    if (!names.contains(operand))
      return emitError(getLocation(first)) << "reads '" << operand << "', which is not defined before";
  nodes.push_back({words[2],
                   {},
                   &getRegistry(),
                   /*version=*/1,
                   getLocation(first),
                   SmallVector<StringRef>(words.drop_front(3)),
                   {first}});
  return define(first);
}

LogicalResult ToyModel::read() {
  SmallVector<StringRef> lines, words;
  bytes->getBuffer().split(lines, '\n');
  for (StringRef line : ArrayRef(lines).drop_front()) {
    words.clear();
    line.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (!words.empty() && failed(readLine(words)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// 3. The row
//===----------------------------------------------------------------------===//

bool claims(const ModelFile &file) { return file.getBuffer().starts_with("toy\n"); }

FailureOr<std::unique_ptr<ModelView>> read(const ModelFile &file, const ImportOptions &options, MLIRContext *context) {
  auto model = std::make_unique<ToyModel>(file.bytes, FileLineColLoc::get(context, file.name, 0, 0));
  if (failed(model->read()))
    return failure();
  return cutModel(std::move(model), options);
}

SmallVector<OperatorSet> getOperatorSets() { return {{"", &getRegistry()}}; }

} // namespace

const Format format = {"a toy model", "Toys", claims, read, getOperatorSets};

} // namespace nacre::importer::toy_format
