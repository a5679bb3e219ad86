// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the attributes that phases leave on the operations of a plan for later phases.
// Why:   the writer and the reader of a note share only this file, which defines its name and its form.

#ifndef NACRE_DIALECTS_PLAN_NOTES_H
#define NACRE_DIALECTS_PLAN_NOTES_H

#include "dialects/plan/PlanDialect.h"

namespace nacre::plan {

/// The engine that computes an operation. Some kernels have code for only one engine.
enum class Engine {
  Any, ///< Either engine, or both, with a part for each.
  Cpu,
  Gpu
};

/// Engine of a launch, or of an operator that becomes one: `cpu` or `gpu`. On a surrounding operation or on the module,
/// the note applies to all launches inside that have no note.
constexpr llvm::StringLiteral kEngine = "plan.engine";

/// Returns the engine in the note of `op`, or of the nearest surrounding operation that has a note.
Engine engineOf(mlir::Operation *op);
inline bool isOnCpu(mlir::Operation *op) { return engineOf(op) == Engine::Cpu; }
inline bool isOnGpu(mlir::Operation *op) { return engineOf(op) == Engine::Gpu; }
/// Sets the note on `op`. Engine::Any removes the note.
void setEngine(mlir::Operation *op, Engine engine);
/// Copies the note of `from`, if it has one, to `to`. `to` replaces `from` or a part of it.
void copyEngine(mlir::Operation *from, mlir::Operation *to);

/// Text on a kernel that no GPU computes: the reason. Placement leaves the kernel's launches to the CPU, and copies the
/// text to a launch that stays on the CPU for this reason.
constexpr llvm::StringLiteral kGpuDeclined = "plan.gpu_declined";

inline bool isDeclinedByGpu(KernelOp kernel) { return kernel->hasAttr(kGpuDeclined); }

/// Bounds of the keys that a row of attention sees (KeyBounds.h). On the operation of a kernel that hides other keys.
constexpr llvm::StringLiteral kKeyBounds = "plan.key_bounds";

/// Predicted times in nanoseconds, for an assumed device. On a launch: the times of one whole iteration on the CPU, and
/// on the GPU if it has code. On an entry: the times of a run as placed, and of a run on the CPU only.
constexpr llvm::StringLiteral kPredictedNanoseconds = "plan.predicted_ns";

/// Predicted time, an i64 in nanoseconds, that a run of an entry spends on recomputation to save memory.
constexpr llvm::StringLiteral kAgainNanoseconds = "plan.again_ns";

/// Unit attribute on an entry whose launches are ordered so that a GPU can execute independent ones together. Memory of
/// temporaries is then reused only between groups of such launches.
constexpr llvm::StringLiteral kSideBySide = "plan.side_by_side";

/// Unit attribute on a loop in the program of a serial kernel. Its iterations may run in parallel, because no iteration
/// reads values that another one writes.
constexpr llvm::StringLiteral kParallel = "plan.parallel";

/// Unit attribute on a loop of operators: one kernel computes all iterations.
constexpr llvm::StringLiteral kOneKernel = "plan.one_kernel";

/// Unit attribute on a reduction of rows. The kernel that begins with this reduction may write several values of each
/// row.
constexpr llvm::StringLiteral kSeveralResults = "plan.several_results";

/// Index of the input that a kernel may overwrite with its result. Its launches give both the same memory.
constexpr llvm::StringLiteral kOverwritten = "plan.overwritten";

void setOverwritten(KernelOp kernel, unsigned input);
std::optional<unsigned> overwrittenBy(KernelOp kernel);

/// Marks an output as the new value of the state with its name. Such an output is no output of the model. Used while
/// launches work on tensors.
constexpr llvm::StringLiteral kBecomesState = "plan.becomes_state";

/// Weight that contains the initial value of a storage of role state. Without this note, the state begins with zeros.
constexpr llvm::StringLiteral kInitial = "plan.initial";

/// Order of the axes of a storage of role state, if it differs from the model's order. A copy of the variable's
/// `nn.order`.
constexpr llvm::StringLiteral kOrder = "plan.order";

/// Encoding of a storage of role state that is in panels. Its memory type has the rows of the panels, its external type
/// is the model's. Until states are packed, temporaries with the layout of a state also have the note.
constexpr llvm::StringLiteral kPanels = "plan.panels";

/// Role of a storage of role state, as a word of dialects/nn/Variables.h. Without this note, the role is `recurrent`.
constexpr llvm::StringLiteral kStateRole = "plan.state_role";

/// Copy of the argument's `nn.labels` on a storage of role input.
constexpr llvm::StringLiteral kLabels = "plan.labels";

/// Number of meetings of the engines in a run of an entry. At a meeting, one engine waits for the other.
constexpr llvm::StringLiteral kMeetings = "plan.meetings";

/// Cost on the CPU of a kernel that is a convolution of few taps by Winograd. It is valid for any share of the CPU.
struct WinogradNote {
  int64_t tile = 0;         ///< Outputs of a tile along each dimension.
  int64_t directCycles = 0; ///< Cycles of a launch on one core without Winograd.
  int64_t cycles = 0;       ///< Cycles of a launch on one core by Winograd.
};

/// Dictionary on a kernel with its WinogradNote. The weight is in panels, like that of any other convolution.
constexpr llvm::StringLiteral kWinograd = "plan.winograd";

void setWinograd(KernelOp kernel, const WinogradNote &note);
std::optional<WinogradNote> winogradOf(KernelOp kernel);

/// Speedup, an f64, of a kernel's products that are not f32: the cycles of direct f32 products, divided by the cycles
/// of these products. It is for a core of the first target.
constexpr llvm::StringLiteral kProductRate = "plan.product_rate";

/// Sets the note. A rate of 1 removes it.
void setProductRate(KernelOp kernel, double rate);
double productRateOf(KernelOp kernel);

/// Unit attribute on a kernel whose weight of bytes contains no -128 in any launch. The sum of two products of signed
/// bytes then fits into 16 bits.
constexpr llvm::StringLiteral kPairsFit = "plan.pairs_fit";

void setPairsFit(KernelOp kernel);
inline bool doPairsFit(KernelOp kernel) { return kernel->hasAttr(kPairsFit); }

/// Number of steps, an i64, for which a CPU may add up products of halves in fp16, as a part of an fp32 sum. Without
/// this note, sums of halves are fp32. The note permits, but does not require: a CPU without arithmetic of halves
/// ignores it. The writer knows that a sum of this many products does not overflow fp16.
constexpr llvm::StringLiteral kHalfSums = "plan.half_sums";

/// Sets the note. `steps` must be positive.
void setHalfSums(KernelOp kernel, int64_t steps);
/// Returns the number of steps, or 0 if the kernel has no note.
int64_t halfSumsOf(KernelOp kernel);

/// Predicted noise of an output, an f64, on a storage of role output: the output's power over that of the error that
/// storing and computing in f16 causes, in decibels. Outputs without noise or prediction do not have it.
constexpr llvm::StringLiteral kPredictedSnr = "plan.predicted_snr_db";

void setPredictedSnr(StorageOp output, double decibels);
std::optional<double> predictedSnrOf(StorageOp output);

/// Unit attribute on a launch that reads f16, but must multiply f32. The kernel does not show this, because it widens
/// halves in any case.
constexpr llvm::StringLiteral kWideProduct = "plan.wide_product";

void setWideProduct(LaunchOp launch);
inline bool hasWideProduct(LaunchOp launch) { return launch->hasAttr(kWideProduct); }

/// Copies the notes of `from` about its operators to `to`, which computes the same.
void copyNotes(LaunchOp from, LaunchOp to);

/// Storage of the right operand of a contraction, if its elements are not stored in the type that is multiplied.
struct RightDecodeNote {
  unsigned argument = 0; ///< Index of the kernel's argument.
  mlir::Type stored;     ///< Type of an element in memory, such as f16 or bf16.
};

/// Dictionary on a kernel with its RightDecodeNote. The phase that stores a weight in another type than the model sets
/// it.
constexpr llvm::StringLiteral kRightDecode = "plan.right_decode";

void setRightDecode(KernelOp kernel, const RightDecodeNote &note);
std::optional<RightDecodeNote> rightDecodeOf(KernelOp kernel);

/// Weight, an f64, of an entry's time: the layouts of weights are chosen by the weighted times of all entries. Without
/// this note, the weight is 1.
constexpr llvm::StringLiteral kEntryWeight = "plan.entry_weight";

/// Sets the note. A weight of 1 removes it.
void setEntryWeight(EntryOp entry, double weight);
double entryWeightOf(EntryOp entry);

/// Error of a weight that is stored in half the bytes of f32.
struct WeightRounding {
  int64_t savedBytes = 0;
  /// Largest relative error of an element. Elements below the smallest normal number of the type do not count.
  double largestRelativeError = 0;
  double relativeError = 0; ///< Relative error of the whole weight, taken as one vector.
};

/// Dictionary with the WeightRounding of a weight that is stored in a narrower type than in the model.
constexpr llvm::StringLiteral kRounding = "plan.rounding";

void setWeightRounding(WeightOp weight, const WeightRounding &rounding);
std::optional<WeightRounding> weightRoundingOf(WeightOp weight);

/// Returns the number of indices of the cut axis that the GPU computes in a placed launch.
inline int64_t gpuShareOf(LaunchOp launch) { return (*launch.getGpu())[1] - (*launch.getGpu())[0]; }

} // namespace nacre::plan

#endif // NACRE_DIALECTS_PLAN_NOTES_H
