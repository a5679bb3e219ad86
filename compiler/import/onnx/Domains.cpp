// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The domains of ONNX's operators, and the registration of their handlers.

#include "compiler/import/onnx/Domains.h"

#include "compiler/import/onnx/attention/Handlers.h"
#include "compiler/import/onnx/classical/Handlers.h"
#include "compiler/import/onnx/contrib/Handlers.h"
#include "compiler/import/onnx/control/ControlFlow.h"
#include "compiler/import/onnx/graph/DomainNames.h"
#include "compiler/import/onnx/movement/Handlers.h"
#include "compiler/import/onnx/operators/Handlers.h"
#include "compiler/import/onnx/quantized/QuantizedOperators.h"
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
  contrib::registerQuantizedRecurrences(result);
  return result;
}

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
  classical::registerFeatures(result);
  classical::registerLinearModels(result);
  classical::registerMaps(result);
  classical::registerScalings(result);
  classical::registerSupportVectors(result);
  trees::registerTreeEnsembles(result);
  return result;
}

} // namespace

llvm::ArrayRef<llvm::StringRef> getDomains() {
  static constexpr llvm::StringRef domains[] = {"", contribDomain, classicalDomain, previewDomain, trainingDomain};
  return domains;
}

const ImportRegistry &getOperators(llvm::StringRef domain) {
  static const ImportRegistry standard = makeStandard(), contributed = makeContrib(), preview = makePreview(),
                              trains = makeTraining(), classical = makeClassical(), unknown("opset");
  return isStandardDomain(domain)    ? standard
         : domain == contribDomain   ? contributed
         : domain == previewDomain   ? preview
         : domain == trainingDomain  ? trains
         : domain == classicalDomain ? classical
                                     : unknown;
}

} // namespace nacre::importer::onnx_format
