// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph phase in order.

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
    onFunctions(createResolveControlPass()); // values that only the counter needed
    onFunctions(createUnrollLoopsPass());
    onFunctions(createHoistInvariantsPass()); // tensors that rows are read from, and matrices
    onFunctions(createScanRowsPass());
    onFunctions(createHoistProductsPass());
    onFunctions(createResolveControlPass()); // rows whose products moved out, arrays that became stacks
    onFunctions(createSelectBranchesPass());
  };
  auto foldConstants = [&] { pm.addPass(createFoldConstantsPass({options.maxConstantBytes})); };

  // First, because a branch or loop that is removed becomes part of an ordinary network.
  resolveControl();
  // Later passes don't handle tensors without elements, and create none.
  onFunctions(createFoldEmptyPass());
  // Passes that match products and softmax see the parts of attention that remains parts.
  onFunctions(createExpandAttentionPass());
  // One form for each operator, and one value for equal subexpressions: composites are matched by identity of values.
  onFunctions(createSimplifyGraphPass());
  onFunctions(mlir::createCSEPass());
  onFunctions(createRecognizeCompositesPass());

  // Loops that an exporter unrolled are also matched by identity of values. Counters and conditions have been folded,
  // which may resolve more of them.
  onFunctions(createRerollLoopsPass());
  resolveControl();

  // Weights first: a transposed filter must be a constant, otherwise it would be priced like an activation.
  foldConstants();
  onFunctions(createPropagateLayoutsPass());
  // Transposes are now at their cheapest places, for example before flattening.
  onFunctions(createPermuteWeightsPass());
  onFunctions(createSimplifyGraphPass());
  onFunctions(createExpandConvTransposePass({/*onlyQuantized=*/true}));
  onFunctions(createSimplifyGraphPass()); // parts of its filter, as codes
  foldConstants();                        // codes of weights, whose axes are now final
  onFunctions(createRecognizeQuantizedPass({options.unsignedLeft.value_or(true)}));
  // Other layers are computed in floats. This must precede passes that change floats by their values.
  onFunctions(createExpandQuantizationPass());
  foldConstants();

  // Only now are channels last, so that factors per channel are found.
  onFunctions(createFoldScalesPass());
  foldConstants();
  // The matrix and bias of each product are now constants.
  onFunctions(createJoinProductsPass({options.maxConstantBytes}));
  // After queries were joined: separate queries of one row would be another launch and another kernel, and would save
  // little.
  onFunctions(createSliceEarlyPass());
  foldConstants();

  // Layouts create new matches (a pad next to its convolution), and equal transposes of one value.
  onFunctions(createSimplifyGraphPass());
  onFunctions(mlir::createCSEPass());

  if (options.unsignedLeft) {
    onFunctions(createChooseSignsPass({*options.unsignedLeft}));
    foldConstants(); // columns of weights
    onFunctions(createSimplifyGraphPass());
    onFunctions(mlir::createCSEPass());
  }

  // All passes before compute constants, which is more exact in f32.
  if (options.narrowsForGpu || options.storageOfCpu != FloatStorage::F32) {
    onFunctions(createNarrowFloatsPass({options.narrowsForGpu, options.storageOfCpu}));
    foldConstants();
    onFunctions(createSimplifyGraphPass());
  }
  // Every quantization is now arithmetic.
  onFunctions(createTabulateFunctionsPass());
  onFunctions(createFuseAttentionPass());
  // Last, because other passes match one filter for all phases, and one operator for all steps.
  onFunctions(createExpandConvTransposePass());
  onFunctions(createExpandRecurrencePass());
  onFunctions(createResolveControlPass()); // layers of one step
  foldConstants();
  onFunctions(createVerifyGraphPass({options.maxConstantBytes}));
}

void buildExpansion(mlir::OpPassManager &pm) {
  ExpandAttentionPassOptions everything;
  everything.all = true;
  pm.addPass(createExpandAttentionPass(everything));
  pm.addPass(createExpandQuantizationPass());
  pm.addPass(createExpandRecurrencePass());
  // A gradient reads and writes rows at the positions of the loop.
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
