// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/report/ContractionTypes.h"

#include "codegen/package/NodeNames.h"
#include "compiler/graph/InFloats.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace mlir;

namespace nacre {

QuantizedContractions takeQuantizedContractions(ModuleOp graph) {
  QuantizedContractions contractions;
  for (auto function : graph.getOps<func::FuncOp>()) {
    auto inFloats = dyn_cast_or_null<ArrayAttr>(function->removeAttr(graph::kInFloats));
    auto inIntegers = dyn_cast_or_null<ArrayAttr>(function->removeAttr(graph::kInIntegers));
    if (!inFloats || !inIntegers)
      continue;
    // A node may have become several contractions. For example, a ConvTranspose becomes one convolution for each phase
    // of its stride.
    std::set<std::vector<std::string>> counted;
    auto isNew = [&](const std::vector<std::string> &nodes) { return nodes.empty() || counted.insert(nodes).second; };
    for (Attribute note : inFloats) {
      auto pair = cast<ArrayAttr>(note);
      std::vector<std::string> nodes = package::listNodes(cast<LocationAttr>(pair[0]));
      if (isNew(nodes))
        contractions.inFloats.push_back({std::move(nodes), cast<StringAttr>(pair[1]).str()});
    }
    const size_t others =
        llvm::count_if(inIntegers, [&](Attribute note) { return isNew(package::listNodes(cast<LocationAttr>(note))); });
    contractions.total += contractions.inFloats.size() + others;
  }
  return contractions;
}

static void warnOfFloats(const QuantizedContractions &contractions, Location model) {
  if (contractions.inFloats.empty())
    return;
  const FloatContraction &first = contractions.inFloats.front();
  InFlightDiagnostic warning = emitWarning(model);
  warning << contractions.inFloats.size() << " of the " << contractions.total
          << " convolutions and products of this quantized model " << (contractions.inFloats.size() == 1 ? "is" : "are")
          << " computed in floating point";
  if (!first.nodes.empty())
    warning << "; for '" << first.nodes.front() << "', " << first.reason;
  warning << "; --report lists them all";
}

void describeContractions(CompileReport &report, const QuantizedContractions &contractions, MLIRContext &context) {
  // A model with a memory cap is placed several times, so only the first call reports.
  if (report.contractions.total == 0)
    warnOfFloats(contractions, FileLineColLoc::get(&context, llvm::sys::path::filename(report.model), 0, 0));
  report.contractions = contractions;
}

std::vector<FloatContraction> describeWideProducts(ArrayRef<ArrayAttr> notes) {
  std::vector<FloatContraction> products;
  for (ArrayAttr note : notes)
    products.push_back({package::listNodes(cast<LocationAttr>(note[0])), cast<StringAttr>(note[1]).str()});
  return products;
}

static std::string wordOf(Type type) {
  const unsigned bits = type.getIntOrFloatBitWidth();
  if (type.isBF16())
    return "bf16";
  return (isa<IntegerType>(type) ? "int" : "fp") + std::to_string(bits);
}

std::string contractionTypeOf(plan::KernelOp kernel) {
  using Kind = plan::KernelKind;
  if (!llvm::is_contained({Kind::Contraction, Kind::Separable, Kind::Attention}, kernel.getKind()))
    return "";
  std::string text;
  // Skip the elementwise operators of a prologue or epilogue. They have no reduction loops.
  kernel->walk([&](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() != 2)
      return WalkResult::advance();
    const std::string left = wordOf(getElementTypeOrSelf(op.getDpsInputs()[0].getType())),
                      right = wordOf(getElementTypeOrSelf(op.getDpsInputs()[1].getType()));
    text = left == right ? left : left + " x " + right;
    return WalkResult::interrupt();
  });
  return text;
}

} // namespace nacre
