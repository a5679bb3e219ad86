// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the attributes that phases leave on the operations of a plan for one another, beside those of the operations.
// Why:   who writes one and who reads it never include each other; its name and its form are said here alone.

#ifndef NACRE_DIALECTS_PLAN_NOTES_H
#define NACRE_DIALECTS_PLAN_NOTES_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::plan {

/// The engine that computes the whole of something: the CPU has forms of kernels that no GPU has code for, and the other way
/// round.
enum class Engine {
  Any, ///< Either one, or both with a part each.
  Cpu,
  Gpu
};

/// On a launch, or an operator that one will be made of: `cpu` or `gpu`. On an operation around these, or on the module: the same
/// for all inside that say nothing themselves.
constexpr llvm::StringLiteral kEngine = "plan.engine";

/// Returns what `op`, or the nearest operation around it that says something, says.
Engine engineOf(mlir::Operation *op);
inline bool isOnCpu(mlir::Operation *op) { return engineOf(op) == Engine::Cpu; }
inline bool isOnGpu(mlir::Operation *op) { return engineOf(op) == Engine::Gpu; }
/// Engine::Any removes the note.
void setEngine(mlir::Operation *op, Engine engine);
/// Lets `to`, which stands for `from` or a part of it, say what `from` itself says.
void copyEngine(mlir::Operation *from, mlir::Operation *to);

/// On a kernel, or on a launch that the CPU computes for the same reason: why no GPU computes it, a text. Placement leaves its launches to the CPU.
constexpr llvm::StringLiteral kGpuDeclined = "plan.gpu_declined";

inline bool isDeclinedByGpu(KernelOp kernel) { return kernel->hasAttr(kGpuDeclined); }

/// On a launch: nanoseconds that the whole of it takes on the CPU, and on the GPU where that has code for it, one iteration.
/// On an entry: that a run takes as placed, and with the CPU alone. All are guesses for a device.
constexpr llvm::StringLiteral kPredictedNanoseconds = "plan.predicted_ns";

/// On an entry: about how many nanoseconds a run takes for what it computes once more, because memory is short; an i64.
constexpr llvm::StringLiteral kAgainNanoseconds = "plan.again_ns";

/// On an entry of launches of the GPU alone: those next to one another that touch nothing that one of them writes are computed side by
/// side, so that no two of them may share bytes of the arena. A unit.
constexpr llvm::StringLiteral kSideBySide = "plan.side_by_side";

/// On a loop in the program of a serial kernel: its iterations may run in parallel, because none reads what another writes. A unit.
constexpr llvm::StringLiteral kParallel = "plan.parallel";

/// On a loop of operators: one kernel computes all iterations. A unit.
constexpr llvm::StringLiteral kOneKernel = "plan.one_kernel";

/// On a reduction of rows: the kernel that begins with it may write several values of these rows. A unit.
constexpr llvm::StringLiteral kSeveralResults = "plan.several_results";

/// On a kernel: the number of the input over which it may write its result, because the launches give both the same memory.
constexpr llvm::StringLiteral kOverwritten = "plan.overwritten";

void setOverwritten(KernelOp kernel, unsigned input);
std::optional<unsigned> overwrittenBy(KernelOp kernel);

/// On an output, while launches work on tensors: it is none, but what the state of its name becomes.
constexpr llvm::StringLiteral kBecomesState = "plan.becomes_state";

/// On a storage of role state: the weight that holds what it is before the first run, where that is not zeros.
constexpr llvm::StringLiteral kInitial = "plan.initial";

/// On a storage of role state: `nn.order` of the variable, where its axes are not in the model's order.
constexpr llvm::StringLiteral kOrder = "plan.order";

/// On a storage of role state: the panels that it is in (an encoding). Its memory is the rows of these, and its external type the
/// model's. Before states are packed also on temporaries that will lie as a state does.
constexpr llvm::StringLiteral kPanels = "plan.panels";

/// On a storage of role state: what it is for, a word of dialects/nn/Variables.h; without it, recurrent.
constexpr llvm::StringLiteral kStateRole = "plan.state_role";

/// On a storage of role input: `nn.labels` of the argument that it is.
constexpr llvm::StringLiteral kLabels = "plan.labels";

/// On an entry: how often the engines meet in a run.
constexpr llvm::StringLiteral kMeetings = "plan.meetings";

/// How the CPU computes a kernel that is a convolution of few taps: by Winograd, whatever part of it is the CPU's.
struct WinogradNote {
  int64_t tile = 0;         ///< Outputs of a tile along each dimension.
  int64_t directCycles = 0; ///< Of a launch on one core that multiplies directly,
  int64_t cycles = 0;       ///< and so.
};

/// On a kernel: that note, a dictionary. The weight is in panels, as for any other convolution.
constexpr llvm::StringLiteral kWinograd = "plan.winograd";

void setWinograd(KernelOp kernel, const WinogradNote &note);
std::optional<WinogradNote> winogradOf(KernelOp kernel);

/// On a kernel whose products are not of f32: how many times fewer cycles they take on a core of the first target
/// than the same products of f32, multiplied directly. An f64.
constexpr llvm::StringLiteral kProductRate = "plan.product_rate";

/// A rate of 1 removes the note.
void setProductRate(KernelOp kernel, double rate);
double productRateOf(KernelOp kernel);

/// On a kernel that multiplies by a weight of bytes, where no launch's weight has a -128: two products by bytes with a sign add up
/// to a number of 16 bits. A unit.
constexpr llvm::StringLiteral kPairsFit = "plan.pairs_fit";

void setPairsFit(KernelOp kernel);
inline bool doPairsFit(KernelOp kernel) { return kernel->hasAttr(kPairsFit); }

/// What it cost a weight to be stored at half the bytes of f32.
struct WeightRounding {
  int64_t savedBytes = 0;
  double largestRelativeError = 0; ///< Of a number, but for those too small to be normal numbers of the type.
  double relativeError = 0;        ///< Of all numbers, as one vector.
};

/// On a weight that is stored narrower than the model has it: a dictionary.
constexpr llvm::StringLiteral kRounding = "plan.rounding";

void setWeightRounding(WeightOp weight, const WeightRounding &rounding);
std::optional<WeightRounding> weightRoundingOf(WeightOp weight);

/// Indices of the cut axis that a placed launch gives the GPU.
inline int64_t gpuShareOf(LaunchOp launch) { return (*launch.getGpu())[1] - (*launch.getGpu())[0]; }

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_NOTES_H
