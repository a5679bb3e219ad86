// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  every operator that ONNX's importer handles, in every version, with operands and attributes of all sorts.
// Why:   NodeTrial.h.
// How:   models of one node, drawn from a fixed seed: operands close to those of the signature, in one draw of
//        eight anything, in ranks 0 to 7 with dimensions of 0 and 1 among them; attributes at their edges. Each goes
//        through import, graph and kernels.

#include "test/unit/compiler/NodeDraw.h"
#include "test/unit/compiler/NodeTrial.h"

#include "compiler/import/onnx/Domains.h"

#include "llvm/Support/xxhash.h"

using namespace nacre;
using namespace nacre::importer;

namespace {

constexpr int drawsPerHandler = 200;

class AnyNode : public NodeTrial {
protected:
  void tryAll(llvm::StringRef domain);
};

std::string describeNode(const onnx::ModelProto &model) {
  const onnx::NodeProto &node = model.graph().node(0);
  std::string text =
      node.domain() + "." + node.op_type() + " of opset " + std::to_string(model.opset_import(0).version());
  for (const onnx::ValueInfoProto &input : model.graph().input()) {
    text += ", " + input.name() + ": " + std::to_string(input.type().tensor_type().elem_type()) + " [";
    for (const auto &dim : input.type().tensor_type().shape().dim())
      text += std::to_string(dim.dim_value()) + " ";
    text += "]";
  }
  for (const onnx::TensorProto &constant : model.graph().initializer()) {
    text += ", constant " + constant.name() + ": " + std::to_string(constant.data_type()) + " [";
    for (int64_t dim : constant.dims())
      text += std::to_string(dim) + " ";
    text += "]";
  }
  for (const onnx::AttributeProto &attribute : model.graph().node(0).attribute()) {
    text += ", " + attribute.name() + "=" + std::to_string(attribute.i()) + " " + std::to_string(attribute.f()) + " " +
            attribute.s();
    for (int64_t value : attribute.ints())
      text += " " + std::to_string(value);
  }
  return text;
}

/// Operators with lists of tensors or of numbers that belong together, or with names of tensors of the graph: hardly a
/// draw is of that kind (test/e2e/training/onnx_training_test.py, test/e2e/formats/trees_test.py,
/// test/e2e/formats/classical_test.py, test/e2e/formats/classical_features_test.py,
/// test/e2e/formats/contrib_quantized_test.py and ONNX's own tests have such nodes).
static bool isIntricate(llvm::StringRef op) {
  return op == "Adam" || op == "Momentum" || op == "Gradient" || op.starts_with("TreeEnsemble") || op == "ZipMap" ||
         op == "LabelEncoder" || op == "LinearClassifier" || op == "LinearRegressor" || op.starts_with("SVM") ||
         op == "QEmbedLayerNormalization";
}

void AnyNode::tryAll(llvm::StringRef domain) {
  for (const auto &operation : onnx_format::getOperators(domain).getEntries()) {
    for (const ImportRegistry::Entry &entry : operation.second) {
      std::string key = operation.first().str() + " since " + std::to_string(entry.since);
      Draw draw(llvm::xxh3_64bits(key));
      auto tryOne = [&] {
        onnx::ModelProto model = drawModel(draw, operation.first(), entry.since, entry.signature.getRules());
        model.mutable_graph()->mutable_node(0)->set_domain(domain.str());
        model.mutable_opset_import(0)->set_domain(domain.str());
        if (!domain.empty())
          model.add_opset_import()->set_version(17);
        return compile(model.SerializeAsString(), [&] { return describeNode(model); });
      };
      tryDraws(domain.empty() ? key : domain.str() + "." + key, drawsPerHandler, tryOne,
               /*mayBeRefused=*/isIntricate(operation.first()));
    }
  }
}

TEST_F(AnyNode, IsCompiledOrRefusedInOnnxsWords) {
  for (llvm::StringRef domain : onnx_format::getDomains())
    tryAll(domain);
}

} // namespace
