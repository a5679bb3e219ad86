// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches and loops that a run decides, and gradients: operators of `nn` with regions, built around what a format's graphs compute.
//
// What: one function for a branch, one for a loop and one for gradients. What a region computes is told by functions that the caller gives, which
//       import a graph of the format, or build operators, wherever the walk stands then.
// Why:  every format has branches and loops, and says them differently; what their values must agree in, which operator they
//       become, and what happens to sizes that a run decides are the same for all.
// How:  a region is filled in a place that it leaves once it is known what it gives. Constants that graphs hold stand outside
//       of all regions (GraphImporter::getValue). Where anything fails, what was begun stays behind without use, and goes with
//       all that nothing uses. Errors are reported at the node.

#ifndef NACRE_COMPILER_IMPORT_CONTROL_REGIONBUILDER_H
#define NACRE_COMPILER_IMPORT_CONTROL_REGIONBUILDER_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// A loop, before it is known what its body gives. All but `initial` may be missing.
struct Loop {
  std::optional<int64_t> bound; ///< no more iterations than that
  mlir::Value count;            ///< nor than that: one integer; what is below zero is none
  mlir::Value goesOn;           ///< whether there is a first iteration: one boolean
  llvm::SmallVector<mlir::Value> initial;
  llvm::SmallVector<mlir::Value> scanned; ///< `bound` rows each; a run may decide how many are there, of all the same
  bool reverse = false;                   ///< rows are read and written from the last to the first
};

/// What an iteration of a loop hands over.
struct Iteration {
  llvm::SmallVector<mlir::Value> carried;
  llvm::SmallVector<mlir::Value> rows = {}; ///< of stacks
  mlir::Value goesOn = {};                  ///< whether another iteration follows: one boolean; null: nothing against
                                            ///< it
};

struct LoopResults {
  llvm::SmallVector<mlir::Value> finals, stacks;
};

class RegionBuilder {
public:
  explicit RegionBuilder(NnBuilder nn) : nn(nn), builder(nn.builder), shared(nn.shared) {}

  using Values = llvm::SmallVector<mlir::Value>;
  using Branch = llvm::function_ref<mlir::FailureOr<Values>()>;
  /// What an iteration computes of its number (a scalar of i64), of what is carried, and of its rows.
  using Body = llvm::function_ref<mlir::FailureOr<Iteration>(mlir::Value, llvm::ArrayRef<mlir::Value>,
                                                             llvm::ArrayRef<mlir::Value>)>;
  /// Whether there is an iteration, of its number and what is carried.
  using Condition = llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value, llvm::ArrayRef<mlir::Value>)>;

  /// The values of the branch that `condition`, one boolean, chooses. Where theirs differ in sizes alone, the results are as
  /// large as the larger, and their axes open. A list becomes one again if both have as many elements.
  mlir::FailureOr<Values> buildIf(mlir::Value condition, Branch onTrue, Branch onFalse);

  /// A loop: an nn.for where its iterations are counted before it begins, an nn.while otherwise. Stacks need a bound; they are open where
  /// it is not reached in every run. `condition` is asked before every iteration, if it is given.
  mlir::FailureOr<LoopResults> buildLoop(const Loop &loop, Body body, Condition condition = nullptr);

  /// The gradients, for the first `count` of `point`, of the one tensor that `compute` gives of values in their place.
  mlir::FailureOr<Values>
  buildGradient(llvm::ArrayRef<mlir::Value> point, size_t count,
                llvm::function_ref<mlir::FailureOr<Values>(llvm::ArrayRef<mlir::Value>)> compute);

private:
  mlir::FailureOr<Values> fillBranch(mlir::Region &region, Branch compute);
  mlir::LogicalResult agree(Values &onTrue, Values &onFalse, mlir::Region &thenRegion, mlir::Region &elseRegion,
                            llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &openAxes);
  Values measure(mlir::Region &region, llvm::MutableArrayRef<mlir::Value> values, llvm::ArrayRef<mlir::Value> others,
                 llvm::ArrayRef<llvm::SmallVector<int64_t>> openAxes);

  mlir::LogicalResult checkLoop(const Loop &loop);
  mlir::FailureOr<mlir::Value> findCount(const Loop &loop);
  mlir::LogicalResult checkIteration(const Loop &loop, const Iteration &iteration);
  mlir::FailureOr<LoopResults> finishFor(const Loop &loop, mlir::Value count, mlir::Region &body,
                                         const Iteration &iteration);
  mlir::FailureOr<LoopResults> finishWhile(const Loop &loop, mlir::Value count, mlir::Region &body, Iteration iteration,
                                           Condition condition);
  mlir::LogicalResult check(mlir::Operation *op);
  mlir::LogicalResult refuseAnyOpen(mlir::ValueRange values);
  mlir::Value scalarBoolean(mlir::Value value);

  NnBuilder nn;
  mlir::OpBuilder &builder;
  ImportState &shared;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_CONTROL_REGIONBUILDER_H
