// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WeightNames.h.

#include "compiler/import/onnx/WeightNames.h"

#include "compiler/import/onnx/graph/DomainNames.h"

using llvm::StringRef;

namespace nacre::importer::onnx_format {

static bool isIdentity(const onnx::NodeProto &node) {
  return node.op_type() == "Identity" && isStandardDomain(node.domain()) && node.input_size() == 1 &&
         node.output_size() == 1;
}

std::string nameWeight(const onnx::NodeProto &node, int index) {
  if (isIdentity(node))
    return node.output(0);
  const StringRef op = node.op_type(), initializer = index < node.input_size() ? StringRef(node.input(index)) : "";
  const bool isRecurrent = isStandardDomain(node.domain()) && (op == "LSTM" || op == "GRU" || op == "RNN");
  if (!isRecurrent || node.name().empty() || !initializer.contains("::"))
    return "";
  constexpr llvm::StringLiteral letters = "-WRB---P";
  const bool isWeight = index < static_cast<int>(letters.size()) && letters[index] != '-';
  return isWeight ? node.name() + "." + letters[index] : "";
}

llvm::StringMap<const onnx::TensorProto *> findRenamed(const onnx::GraphProto &graph) {
  llvm::StringMap<const onnx::TensorProto *> initializers, renamed;
  for (const onnx::TensorProto &initializer : graph.initializer())
    initializers[initializer.name()] = &initializer;
  llvm::StringMap<unsigned> reads;
  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &input : node.input())
      ++reads[input];
  for (const onnx::NodeProto &node : graph.node())
    for (int index = 0; index < node.input_size(); ++index) {
      StringRef input = node.input(index);
      std::string name = nameWeight(node, index);
      const onnx::TensorProto *again = renamed.lookup(input);
      const onnx::TensorProto *known = again ? again : initializers.lookup(input);
      if (!name.empty() && known && (isIdentity(node) || reads.lookup(input) == 1))
        renamed.try_emplace(name, known);
    }
  return renamed;
}

} // namespace nacre::importer::onnx_format
