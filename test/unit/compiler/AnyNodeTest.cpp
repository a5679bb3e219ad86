// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  every operator that ONNX's importer handles, in every version, with operands and attributes of all sorts.
// Why:   whatever a node says, it is compiled, or refused in ONNX's words: never a phrase of MLIR, never a failure of a
//        later phase, which no user could mend.
// How:   models of one node, drawn from a fixed seed: operands near to what the signature asks for, in one draw of eight
//        anything, in ranks 0 to 7 with dimensions of 0 and 1 among them; attributes at their edges. Each goes through
//        import, graph and kernels.

#include "test/unit/compiler/NodeDraw.h"

#include "compiler/graph/Passes.h"
#include "compiler/import/Import.h"
#include "compiler/import/onnx/Domains.h"
#include "compiler/kernels/Passes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/plan/PlanDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/xxhash.h"
#include "gtest/gtest.h"
#include <map>

using namespace nacre;
using namespace nacre::importer;

namespace {

constexpr int drawsPerHandler = 200, mostDraws = 20 * drawsPerHandler;

class AnyNode : public testing::Test {
protected:
  AnyNode() : context(registry(), mlir::MLIRContext::Threading::DISABLED) {}

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry result;
    result.insert<mlir::func::FuncDialect, nn::NnDialect, plan::PlanDialect>();
    return result;
  }

  /// Tensors without elements are followed up to here: what later phases make of them has tests of its own.
  static bool hasEmptyTensor(mlir::ModuleOp module) {
    auto isEmpty = [](mlir::Type type) {
      auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
      return tensor && tensor.getNumElements() == 0;
    };
    return module
        .walk([&](mlir::Operation *op) {
          bool found = llvm::any_of(op->getOperandTypes(), isEmpty) || llvm::any_of(op->getResultTypes(), isEmpty);
          return found ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Compiles up to the kernels; reports what a user must not meet. True where the node is compiled.
  bool compile(const onnx::ModelProto &model) {
    std::string bytes = model.SerializeAsString(), errors;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
        errors += diagnostic.str() + "\n";
    });
    constexpr int64_t maxConstantBytes = 1 << 20;
    ImportOptions options;
    options.maxConstantBytes = maxConstantBytes;
    mlir::OwningOpRef<mlir::ModuleOp> module =
        importModel(llvm::MemoryBufferRef(bytes, "node.onnx"), options, &context);
    if (!module) {
      expectPlainWords(errors, model);
      return false;
    }
    if (hasEmptyTensor(*module))
      return true;
    graph::Options graphOptions;
    graphOptions.maxConstantBytes = maxConstantBytes;
    mlir::PassManager passes(&context);
    graph::buildPipeline(passes, graphOptions);
    kernels::buildPipeline(passes);
    bool hasPassed = succeeded(passes.run(*module));
    // A model may ask for more memory than there is.
    EXPECT_TRUE(hasPassed || llvm::StringRef(errors).contains("must take at most")) << describeNode(model) << "\n"
                                                                                    << errors;
    return hasPassed;
  }

  void expectPlainWords(const std::string &errors, const onnx::ModelProto &model) {
    EXPECT_FALSE(errors.empty()) << describeNode(model);
    for (const char *phrase :
         {"'nn.", "nn.", "plan.", "tensor<", "see current operation", "' op ", "must fit the operator's definition"})
      EXPECT_EQ(errors.find(phrase), std::string::npos) << describeNode(model) << "\n" << errors;
  }

  static std::string describeNode(const onnx::ModelProto &model) {
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
      text += ", " + attribute.name() + "=" + std::to_string(attribute.i()) + " " + std::to_string(attribute.f()) +
              " " + attribute.s();
      for (int64_t value : attribute.ints())
        text += " " + std::to_string(value);
    }
    return text;
  }

  /// How many of the models of each handler of `domain` are compiled.
  void tryAll(llvm::StringRef domain, std::map<std::string, int> &compiled);

  mlir::MLIRContext context;
};

void AnyNode::tryAll(llvm::StringRef domain, std::map<std::string, int> &compiled) {
  for (const auto &operation : onnx_format::getOperators(domain).getEntries()) {
    for (const ImportRegistry::Entry &entry : operation.second) {
      std::string key = operation.first().str() + " since " + std::to_string(entry.since);
      Draw draw(llvm::xxh3_64bits(key));
      if (!domain.empty())
        key = domain.str() + "." + key;
      // Whatever is added to the draws shifts all others: what is seldom right is drawn until it is.
      for (int turn = 0; turn < drawsPerHandler || (compiled[key] == 0 && turn < mostDraws); ++turn) {
        onnx::ModelProto model = drawModel(draw, operation.first(), entry.since, entry.signature.getRules());
        model.mutable_graph()->mutable_node(0)->set_domain(domain.str());
        model.mutable_opset_import(0)->set_domain(domain.str());
        compiled[key] += compile(model);
      }
    }
  }
}

TEST_F(AnyNode, IsCompiledOrRefusedInOnnxsWords) {
  std::map<std::string, int> compiled;
  for (llvm::StringRef domain : onnx_format::getDomains())
    tryAll(domain, compiled);
  for (auto &[key, count] : compiled)
    EXPECT_GT(count, 0) << key << " is refused in every draw, so nothing was tried";
}

} // namespace
