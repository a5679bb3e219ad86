// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a model's `nn` functions into a placed plan. It decides whether kernels are formed for one engine or for both,
// and whether values are stored as halves.
//
// Some forms of kernels have code for one engine only, so engines must be chosen before kernels are formed. The cost of
// a choice is known only afterwards. So this is a search over the phases graph, kernels, encode and place:
//
// 1. If the CPU computes everything, the phases run once.
// 2. Otherwise kernels are formed that both engines can compute, and placed. Then kernels are formed again for the
//    chosen engines (OperatorEngines.h), encoded and placed.
// 3. With `--place=auto`, some entries may be faster in a plan for the CPU only. Then another plan is made, in which
//    the CPU computes these entries.
// 4. If the GPU computes nothing, or if the predicted gain is too small, the plan for the CPU only is chosen.

#ifndef NACRE_COMPILER_DRIVER_PLACEMENTSEARCH_H
#define NACRE_COMPILER_DRIVER_PLACEMENTSEARCH_H

#include "compiler/driver/CompileKernels.h"
#include "compiler/driver/PhaseRunner.h"
#include "compiler/report/ContractionTypes.h"

#include "mlir/IR/OwningOpRef.h"

namespace nacre {

/// A plan, and the choices that were made for it.
struct PlacedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  GpuCode gpuCode;                            ///< Code for the kernels that the GPU has a share of.
  bool usesGpu = false;                       ///< True if the GPU has a share of some launch.
  bool isScheduled = false;                   ///< True if the order of launches and the offsets of values are known.
  GpuPrecision precision = GpuPrecision::F32; ///< Type in which the GPU stores values.
  unsigned operators = 0;                     ///< Number of operators after the graph phase.
  std::vector<std::string> looseScales;       ///< Nodes that still multiply channels by constants then.
  QuantizedContractions contractions;         ///< Contractions of a quantized model.
  /// Products that stay f32 although values are stored as f16: pairs of a location and the reason.
  std::vector<mlir::ArrayAttr> wideProducts;
  std::string text; ///< The IR that --compile-to asks for.
};

/// Reasons why no GPU computes some of the model's nodes, by their locations.
using DeclinedNodes = llvm::DenseMap<mlir::Attribute, mlir::StringAttr>;

class PlacementSearch {
public:
  /// All arguments must outlive this object. `targets` are the targets of `options`. `cache` may be null.
  PlacementSearch(const CompilerOptions &options, llvm::ArrayRef<codegen::Target> targets, PhaseRunner &phases,
                  const KernelCache *cache);

  /// Places `model`, which contains functions of `nn` operators. Emits only the remarks of the chosen plan.
  mlir::FailureOr<PlacedModel> place(mlir::OwningOpRef<mlir::ModuleOp> model);
  /// Places `model` on the CPU only, even if `options` allow the GPU.
  mlir::FailureOr<PlacedModel> placeOnCpu(mlir::OwningOpRef<mlir::ModuleOp> model);

private:
  using Engines = Placement::Engines;

  /// Places `model` on both engines. Sets `declined` to the reasons why the GPU cannot compute some nodes.
  mlir::FailureOr<PlacedModel> placeOnBoth(mlir::OwningOpRef<mlir::ModuleOp> model, DeclinedNodes &declined);

  /// Makes a plan from `model` in which the CPU computes the entries that are faster in `onCpu`. Replaces `both` if the
  /// new plan is predicted to be faster.
  mlir::LogicalResult improveByEntries(PlacedModel &both, mlir::ModuleOp onCpu,
                                       mlir::OwningOpRef<mlir::ModuleOp> model);

  mlir::LogicalResult optimizeGraph(PlacedModel &plan);
  void takeWideProducts(PlacedModel &plan);
  mlir::LogicalResult prepareKernels(mlir::ModuleOp module);
  mlir::LogicalResult formKernels(PlacedModel &plan);
  mlir::LogicalResult encode(PlacedModel &plan);
  mlir::LogicalResult placeKernels(PlacedModel &plan, Engines engines);
  /// Runs the phases after the graph phase: kernels, encode and place.
  mlir::LogicalResult finish(PlacedModel &plan, Engines engines);

  const CompilerOptions &options;
  llvm::ArrayRef<codegen::Target> targets;
  PhaseRunner &phases;
  GpuKernels gpuKernels;
};

} // namespace nacre

#endif // NACRE_COMPILER_DRIVER_PLACEMENTSEARCH_H
