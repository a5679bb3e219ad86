// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the attributes that phases leave on the operations of a plan for later phases.
// Why:   the writer and the reader of a note never include each other. Only this file defines its name and its form.

#ifndef NACRE_DIALECTS_PLAN_NOTES_H
#define NACRE_DIALECTS_PLAN_NOTES_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::plan {

/// The engine that computes an operation. Some kernels have code for only one of them.
enum class Engine {
  Any, ///< Either one, or both with a part each.
  Cpu,
  Gpu
};

/// Engine of a launch, or of an operator that becomes one: `cpu` or `gpu`. On an operation around them, or on the
/// module, it applies to everything inside without a note.
constexpr llvm::StringLiteral kEngine = "plan.engine";

/// Returns the engine noted on `op`, or on the nearest operation around it with a note.
Engine engineOf(mlir::Operation *op);
inline bool isOnCpu(mlir::Operation *op) { return engineOf(op) == Engine::Cpu; }
inline bool isOnGpu(mlir::Operation *op) { return engineOf(op) == Engine::Gpu; }
/// Sets the note; Engine::Any removes it.
void setEngine(mlir::Operation *op, Engine engine);
/// Copies the note of `from`, if it has one, to `to`, which replaces `from` or a part of it.
void copyEngine(mlir::Operation *from, mlir::Operation *to);

/// Text on a kernel: why no GPU computes it. Also on a launch that stays on the CPU for that reason. Placement leaves
/// its launches to the CPU.
constexpr llvm::StringLiteral kGpuDeclined = "plan.gpu_declined";

inline bool isDeclinedByGpu(KernelOp kernel) { return kernel->hasAttr(kGpuDeclined); }

/// Predicted nanoseconds, for an assumed device. On a launch: one iteration of all of it on the CPU, and on the GPU if
/// that has code for it. On an entry: a run as placed, and on the CPU only.
constexpr llvm::StringLiteral kPredictedNanoseconds = "plan.predicted_ns";

/// Predicted nanoseconds, an i64, that a run of an entry spends on recomputation to save memory.
constexpr llvm::StringLiteral kAgainNanoseconds = "plan.again_ns";

/// Recomputation time of a run, in nanoseconds, predicted for an entry that computes values twice to save memory; an
/// i64.
constexpr llvm::StringLiteral kSideBySide = "plan.side_by_side";

/// Unit attribute on a loop in the program of a serial kernel: its iterations may run in parallel, because none reads
/// values that another one writes.
constexpr llvm::StringLiteral kParallel = "plan.parallel";

/// Unit attribute on a loop of operators: one kernel computes all iterations.
constexpr llvm::StringLiteral kOneKernel = "plan.one_kernel";

/// Unit attribute on a reduction of rows: the kernel that begins with it may write several values of these rows.
constexpr llvm::StringLiteral kSeveralResults = "plan.several_results";

/// Number of the input that a kernel may overwrite with its result, because its launches give both the same memory.
constexpr llvm::StringLiteral kOverwritten = "plan.overwritten";

void setOverwritten(KernelOp kernel, unsigned input);
std::optional<unsigned> overwrittenBy(KernelOp kernel);

/// Marks an output, while launches work on tensors, as the new value of the state with its name, not as an output of
/// the model.
constexpr llvm::StringLiteral kBecomesState = "plan.becomes_state";

/// Weight with the initial value of a storage of role state; without it, zeros.
constexpr llvm::StringLiteral kInitial = "plan.initial";

/// Copy of the variable's `nn.order` on a storage of role state, if its axes are not in the model's order.
constexpr llvm::StringLiteral kOrder = "plan.order";

/// Encoding of a storage of role state in panels. Its memory type is the rows of the panels; its external type is the
/// model's. Until states are packed, temporaries with the layout of a state have it, too.
constexpr llvm::StringLiteral kPanels = "plan.panels";

/// Role of a storage of role state, a word of dialects/nn/Variables.h; without it, recurrent.
constexpr llvm::StringLiteral kStateRole = "plan.state_role";

/// Copy of the argument's `nn.labels` on a storage of role input.
constexpr llvm::StringLiteral kLabels = "plan.labels";

/// Number of meetings of the engines in a run of an entry.
constexpr llvm::StringLiteral kMeetings = "plan.meetings";

/// The CPU's cost of a kernel that is a convolution of few taps by Winograd, for any share of the CPU.
struct WinogradNote {
  int64_t tile = 0;         ///< Outputs of a tile along each dimension.
  int64_t directCycles = 0; ///< Cycles of a launch on one core with direct multiplication.
  int64_t cycles = 0;       ///< Cycles of a launch on one core by Winograd.
};

/// Dictionary on a kernel: its WinogradNote. The weight is in panels, as for any other convolution.
constexpr llvm::StringLiteral kWinograd = "plan.winograd";

void setWinograd(KernelOp kernel, const WinogradNote &note);
std::optional<WinogradNote> winogradOf(KernelOp kernel);

/// Speedup, an f64, of a kernel's products that are not f32: the cycles of direct f32 products, divided by their
/// cycles, on a core of the first target.
constexpr llvm::StringLiteral kProductRate = "plan.product_rate";

/// Sets the note; a rate of 1 removes it.
void setProductRate(KernelOp kernel, double rate);
double productRateOf(KernelOp kernel);

/// Unit attribute on a kernel whose weight of bytes never contains -128, in any launch. Then the sum of two products of
/// signed bytes fits 16 bits.
constexpr llvm::StringLiteral kPairsFit = "plan.pairs_fit";

void setPairsFit(KernelOp kernel);
inline bool doPairsFit(KernelOp kernel) { return kernel->hasAttr(kPairsFit); }

/// The error of a weight that is stored in half the bytes of f32.
struct WeightRounding {
  int64_t savedBytes = 0;
  /// Relative error of an element, except those below the smallest normal number of the type.
  double largestRelativeError = 0;
  double relativeError = 0; ///< Relative error of all elements as one vector.
};

/// Dictionary on a weight that is stored in a narrower type than in the model: its WeightRounding.
constexpr llvm::StringLiteral kRounding = "plan.rounding";

void setWeightRounding(WeightOp weight, const WeightRounding &rounding);
std::optional<WeightRounding> weightRoundingOf(WeightOp weight);

/// Returns the number of indices of the cut axis that a placed launch gives the GPU.
inline int64_t gpuShareOf(LaunchOp launch) { return (*launch.getGpu())[1] - (*launch.getGpu())[0]; }

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_NOTES_H
