// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/meaning/Join.h"

#include "compiler/driver/ModelEntries.h"
#include "compiler/evaluate/Interpreter.h"
#include "compiler/graph/Passes.h"
#include "dialects/nn/ConstantData.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using nacre::evaluate::Tensor;

namespace nacre::meaning {
namespace {

func::FuncOp functionOf(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

/// A constant of these elements; a splat where they are all the same.
ElementsAttr constantOf(const Tensor &tensor) {
  const std::vector<char> bytes = evaluate::toBytes(tensor);
  const RankedTensorType type = tensor.getType();
  const unsigned width = type.getElementTypeBitWidth();
  const size_t size = tensor.size() ? bytes.size() / size_t(tensor.size()) : 0;
  if (width >= 8 && size > 0 && std::equal(bytes.begin() + long(size), bytes.end(), bytes.begin())) {
    nn::ConstantBuilder builder(type, /*splat=*/true);
    std::copy_n(bytes.begin(), size, builder.at(0));
    return std::move(builder).take();
  }
  return DenseResourceElementsAttr::get(type, "operand",
                                        HeapAsmResourceBlob::allocateAndCopyInferAlign(ArrayRef<char>(bytes)));
}

} // namespace

Tensors interpret(const Node &node, ArrayRef<Tensor> operands, MLIRContext *context) {
  OwningOpRef<ModuleOp> module = parse(node, context);
  if (asksForGradients(*module) && failed(writeGradients(*module)))
    return {};
  FailureOr<SmallVector<Tensor>> results = evaluate::evaluate(functionOf(*module), operands);
  return succeeded(results) ? Tensors(results->begin(), results->end()) : Tensors();
}

OwningOpRef<ModuleOp> join(Nodes nodes, bool allConstants, MLIRContext *context) {
  OpBuilder builder(context);
  const Location location = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> joined = ModuleOp::create(location);
  builder.setInsertionPointToEnd(joined->getBody());
  auto function = func::FuncOp::create(builder, location, "main", builder.getFunctionType({}, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  SmallVector<Value> results;
  for (const Node *node : nodes) {
    OwningOpRef<ModuleOp> own = parse(*node, context);
    // Node by node, because other operators of a trained function are spelled out: attention of bf16 then has scores of
    // bf16.
    if (asksForGradients(*own) && failed(writeGradients(*own)))
      return {};
    Block &from = functionOf(*own).getBody().front();
    IRMapping mapping;
    for (auto [operand, argument] : llvm::zip_equal(node->operands, from.getArguments())) {
      if (allConstants || operand.isConstant)
        mapping.map(
            argument,
            nn::ConstantOp::create(builder, location, argument.getType(), constantOf(operand.value)).getResult());
      else
        mapping.map(argument, body->addArgument(argument.getType(), location));
    }
    for (Operation &op : from.without_terminator())
      builder.clone(op, mapping);
    for (Value result : from.getTerminator()->getOperands())
      results.push_back(mapping.lookup(result));
  }
  func::ReturnOp::create(builder, location, results);
  function.setType(builder.getFunctionType(body->getArgumentTypes(), ValueRange(results).getTypes()));
  for (unsigned i = 0; i < body->getNumArguments(); ++i)
    function.setArgAttr(i, nn::nameAttr, builder.getStringAttr("x" + Twine(i)));
  for (unsigned i = 0; i < results.size(); ++i)
    function.setResultAttr(i, nn::nameAttr, builder.getStringAttr("y" + Twine(i)));
  return joined;
}

std::optional<std::vector<std::vector<std::optional<Tensor>>>> fold(Nodes nodes, MLIRContext *context) {
  OwningOpRef<ModuleOp> module = join(nodes, /*allConstants=*/true, context);
  PassManager passes(context);
  graph::buildPipeline(passes, graph::Options());
  if (!module || failed(passes.run(*module)))
    return std::nullopt;
  Operation *end = functionOf(*module).getBody().front().getTerminator();
  std::vector<std::vector<std::optional<Tensor>>> results;
  unsigned next = 0;
  for (const Node *node : nodes) {
    std::vector<std::optional<Tensor>> &own = results.emplace_back();
    for (unsigned left = functionOf(*parse(*node, context)).getNumResults(); left > 0; --left) {
      own.emplace_back();
      if (auto constant = end->getOperand(next++).getDefiningOp<nn::ConstantOp>())
        if (FailureOr<Tensor> value = evaluate::fromConstant(constant.getValue()); succeeded(value))
          own.back() = *value;
    }
  }
  return results;
}

} // namespace nacre::meaning
