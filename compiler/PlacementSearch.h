// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  takes a model from its `nn` functions to a placed plan, and decides on the way what it is formed for: one engine or both,
//        and whether values are stored as halves.
// Why:   kernels have forms that only one engine has code for, so that who computes what is decided before they are formed; but what
//        it costs is known once they are. So this is a search over the phases graph, kernels, encode and place.
// How:   1. For one engine that computes everything: the phases in a row.
//        2. Otherwise first with kernels that both engines can take. Placement says who computes what, and kernels are formed anew
//           for that (OperatorEngines.h), encoded and placed.
//        3. If the GPU gets nothing, or the device is predicted to gain too little, the plan is the one of 1. for the CPU.

#ifndef NACRE_COMPILER_PLACEMENTSEARCH_H
#define NACRE_COMPILER_PLACEMENTSEARCH_H

#include "compiler/CompileKernels.h"
#include "compiler/PhaseRunner.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

namespace nacre {

/// A plan, and what was chosen for it.
struct PlacedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  GpuCode gpuCode;                            ///< Of the kernels that the GPU has a share of.
  bool usesGpu = false;                       ///< It has a share of some launch.
  GpuPrecision precision = GpuPrecision::F32; ///< What values are stored as.
  unsigned operators = 0;                     ///< After the graph phase.
  std::vector<std::string> looseScales;       ///< Nodes that multiply channels by constants then.
  std::string text;                           ///< The IR that --compile-to asks for.
  std::vector<mlir::Diagnostic> remarks;      ///< And warnings: said only if this is the plan.
};

/// Why no GPU computes some of the model's nodes, by their locations.
using DeclinedNodes = llvm::DenseMap<mlir::Attribute, mlir::StringAttr>;

class PlacementSearch {
public:
  /// All arguments must outlive this. `targets` are the options'.
  PlacementSearch(const CompilerOptions &options, llvm::ArrayRef<codegen::Target> targets, PhaseRunner &phases);

  /// Places `model`, functions of `nn` operators. Remarks of the chosen plan are emitted.
  mlir::FailureOr<PlacedModel> place(mlir::OwningOpRef<mlir::ModuleOp> model);

private:
  using Engines = Placement::Engines;

  mlir::FailureOr<PlacedModel> search(mlir::OwningOpRef<mlir::ModuleOp> model);
  mlir::FailureOr<PlacedModel> placeOnCpu(mlir::OwningOpRef<mlir::ModuleOp> model);
  /// Writes into `declined` why the GPU cannot compute some of the model.
  mlir::FailureOr<PlacedModel> placeOnBoth(mlir::OwningOpRef<mlir::ModuleOp> model, DeclinedNodes &declined);

  mlir::LogicalResult optimizeGraph(PlacedModel &plan, Engines engines);
  mlir::LogicalResult prepareKernels(mlir::ModuleOp module);
  mlir::LogicalResult formKernels(PlacedModel &plan);
  mlir::LogicalResult encode(PlacedModel &plan);
  mlir::LogicalResult placeKernels(PlacedModel &plan, Engines engines);
  /// The last three.
  mlir::LogicalResult finish(PlacedModel &plan, Engines engines);

  const CompilerOptions &options;
  llvm::ArrayRef<codegen::Target> targets;
  PhaseRunner &phases;
  GpuKernels gpuKernels;
};

} // namespace nacre

#endif // NACRE_COMPILER_PLACEMENTSEARCH_H
