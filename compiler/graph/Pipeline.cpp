// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph phase, in order.

#include "compiler/graph/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace nacre::graph {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  auto onFunctions = [&](std::unique_ptr<mlir::Pass> pass) { pm.addNestedPass<mlir::func::FuncOp>(std::move(pass)); };
  auto resolveControl = [&] {
    onFunctions(createResolveControlPass());
    onFunctions(createCountTripsPass());
    onFunctions(createResolveControlPass()); // what a counter was carried for
    onFunctions(createUnrollLoopsPass());
    onFunctions(createHoistInvariantsPass()); // what rows are of, and matrices
    onFunctions(createScanRowsPass());
    onFunctions(createHoistProductsPass());
    onFunctions(createResolveControlPass()); // rows whose products moved out, arrays that became stacks
    onFunctions(createSelectBranchesPass());
  };
  auto foldConstants = [&] { pm.addPass(createFoldConstantsPass({options.maxConstantBytes})); };

  // What need not be a branch or a loop is a network like any other, so this comes first.
  resolveControl();
  // No pass behind this one knows tensors without elements, and none makes one.
  onFunctions(createFoldEmptyPass());
  // One spelling of everything, and one value for equal subexpressions: composites are matched by identity of values.
  onFunctions(createSimplifyGraphPass());
  onFunctions(mlir::createCSEPass());
  onFunctions(createRecognizeCompositesPass());

  // What an exporter wrote out of a loop is compared by identity of values, too. Counters and conditions have been folded, which
  // may settle more of them.
  onFunctions(createRerollLoopsPass());
  resolveControl();

  // Weights first: a transposed filter must be a constant, or it would be priced like an activation.
  foldConstants();
  onFunctions(createPropagateLayoutsPass());
  // Transposes now stand where they are cheapest, among other places before flattenings.
  onFunctions(createPermuteWeightsPass());
  onFunctions(createSimplifyGraphPass());
  onFunctions(createExpandConvTransposePass({/*onlyQuantized=*/true}));
  onFunctions(createSimplifyGraphPass()); // parts of its filter, as codes
  foldConstants();                        // codes of weights where their axes are final
  onFunctions(createRecognizeQuantizedPass({options.unsignedLeft.value_or(true)}));
  // What is left is computed in floats. It comes before what changes floats by their values.
  onFunctions(createExpandQuantizationPass());
  foldConstants();

  // Channels are last only now, so only now a factor for each channel is seen to be one.
  onFunctions(createFoldScalesPass());
  foldConstants();
  // A matrix and a bias for each product are constants now.
  onFunctions(createJoinProductsPass({options.maxConstantBytes}));
  // Queries are joined already: of their own for one row they would be another launch, and another kernel, to save little.
  onFunctions(createSliceEarlyPass());
  foldConstants();

  // Layouts bring new chances (a pad beside its convolution), and equal transposes of one value.
  onFunctions(createSimplifyGraphPass());
  onFunctions(mlir::createCSEPass());

  if (options.unsignedLeft) {
    onFunctions(createChooseSignsPass({*options.unsignedLeft}));
    foldConstants(); // columns of weights
    onFunctions(createSimplifyGraphPass());
    onFunctions(mlir::createCSEPass());
  }

  // Everything before computes constants, and is more exact in the wider type.
  if (options.narrowFloats) {
    onFunctions(createNarrowFloatsPass());
    foldConstants();
    onFunctions(createSimplifyGraphPass());
  }
  // Every quantization is arithmetic now.
  onFunctions(createTabulateFunctionsPass());
  onFunctions(createFuseAttentionPass({options.mostKeys, options.fuseCodes}));
  // Last, when nothing wants to see one filter for all phases any more, or one operator for all steps.
  onFunctions(createExpandConvTransposePass());
  onFunctions(createExpandRecurrencePass());
  onFunctions(createResolveControlPass()); // layers of one step
  foldConstants();
  onFunctions(createVerifyGraphPass({options.maxConstantBytes}));
}

void buildExpansion(mlir::OpPassManager &pm) {
  pm.addPass(createExpandQuantizationPass());
  pm.addPass(createExpandRecurrencePass());
  // A gradient reads and writes rows where the loop does.
  pm.addPass(createResolveControlPass());
  pm.addPass(createCountTripsPass());
  pm.addPass(createResolveControlPass());
  pm.addPass(createScanRowsPass());
  pm.addPass(createResolveControlPass());
}

void registerPipeline() {
  mlir::PassPipelineRegistration<>("nacre-graph", "The graph phase: nn to better nn",
                                   [](mlir::OpPassManager &pm) { buildPipeline(pm, Options()); });
}

} // namespace nacre::graph
