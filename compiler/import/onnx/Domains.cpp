// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The domains of ONNX's operators, and what registers the handlers of each.

#include "compiler/import/onnx/Domains.h"

#include "compiler/import/onnx/Handlers.h"
#include "compiler/import/onnx/contrib/Handlers.h"
#include "compiler/import/onnx/training/Handlers.h"
#include "compiler/import/onnx/trees/Handlers.h"

namespace nacre::importer::onnx_format {
namespace {

ImportRegistry makeStandard() {
  ImportRegistry result("opset", /*newestVersion=*/28);
  registerElementwise(result);
  registerActivations(result);
  registerAttention(result);
  registerCarriedState(result);
  registerCasts(result);
  registerConstants(result);
  registerControlFlow(result);
  registerContractions(result);
  registerConvolutions(result);
  registerPoolings(result);
  registerNormalizations(result);
  registerRandoms(result);
  registerReductions(result);
  registerLosses(result);
  registerRecurrences(result);
  registerReorderings(result);
  registerResizes(result);
  registerRetired(result);
  registerRotaryEmbedding(result);
  registerSamplings(result);
  registerScatters(result);
  registerSelections(result);
  registerSequences(result);
  registerShapes(result);
  registerSignals(result);
  registerSlices(result);
  registerTfIdf(result);
  registerQuantizations(result);
  registerQuantizedOperators(result);
  return result;
}

ImportRegistry makeContrib() {
  ImportRegistry result;
  contrib::registerActivations(result);
  contrib::registerBlockQuantization(result);
  contrib::registerAttention(result);
  contrib::registerContractions(result);
  contrib::registerGroupQueryAttention(result);
  contrib::registerNormalizations(result);
  contrib::registerQuantizedOperators(result);
  return result;
}

/// What is on trial in the standard.
constexpr llvm::StringLiteral previewDomain = "ai.onnx.preview";

ImportRegistry makePreview() {
  ImportRegistry result;
  registerFlexAttention(result);
  return result;
}

ImportRegistry makeTraining() {
  ImportRegistry result;
  training::registerGradients(result);
  training::registerOptimizers(result);
  return result;
}

ImportRegistry makeClassical() {
  ImportRegistry result("opset", /*newestVersion=*/5);
  trees::registerMaps(result);
  trees::registerTreeEnsembles(result);
  return result;
}

} // namespace

bool isStandardDomain(llvm::StringRef domain) { return domain.empty() || domain == "ai.onnx"; }

llvm::ArrayRef<llvm::StringRef> getDomains() {
  static constexpr llvm::StringRef domains[] = {"", contrib::domain, trees::domain, previewDomain, training::domain};
  return domains;
}

const ImportRegistry &getOperators(llvm::StringRef domain) {
  static const ImportRegistry standard = makeStandard(), contributed = makeContrib(), preview = makePreview(),
                              trains = makeTraining(), classical = makeClassical(), unknown("opset");
  return isStandardDomain(domain)     ? standard
         : domain == contrib::domain  ? contributed
         : domain == previewDomain    ? preview
         : domain == training::domain ? trains
         : domain == trees::domain    ? classical
                                      : unknown;
}

} // namespace nacre::importer::onnx_format
