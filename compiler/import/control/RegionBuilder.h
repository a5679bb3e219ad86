// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches and loops that are decided at run time, and gradients: operators of `nn` with regions.
//
// Every format has branches and loops in its own form. The rules for their values, the choice of the operator and the
// handling of open sizes are the same for all. The caller passes functions that fill a region: they import a graph of
// the format or build operators.
//
// A region is filled in a temporary operator, and moves when its results are known. Constants are outside of all
// regions (GraphImporter::getValue). After an error, unfinished operators stay without use and are erased with other
// dead code. Errors are reported at the node.

#ifndef NACRE_COMPILER_IMPORT_CONTROL_REGIONBUILDER_H
#define NACRE_COMPILER_IMPORT_CONTROL_REGIONBUILDER_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Operands of a loop before its body is built. Only `initial` is required.
struct Loop {
  std::optional<int64_t> bound; ///< most iterations, known at compile time
  mlir::Value count;            ///< number of iterations, one integer; negative means 0
  mlir::Value goesOn;           ///< condition of the first iteration, one boolean
  llvm::SmallVector<mlir::Value> initial;
  llvm::SmallVector<mlir::Value> scanned; ///< `bound` rows each; all may have the same smaller count at run time
  bool reverse = false;                   ///< reads and writes rows from the last to the first
};

/// Results of one iteration of a loop.
struct Iteration {
  llvm::SmallVector<mlir::Value> carried;
  llvm::SmallVector<mlir::Value> rows = {}; ///< one row for each stack
  mlir::Value goesOn = {};                  ///< condition of the next iteration, one boolean; null: true
};

struct LoopResults {
  llvm::SmallVector<mlir::Value> finals, stacks;
};

class RegionBuilder {
public:
  explicit RegionBuilder(NnBuilder nn) : nn(nn), builder(nn.builder), shared(nn.shared) {}

  using Values = llvm::SmallVector<mlir::Value>;
  using Branch = llvm::function_ref<mlir::FailureOr<Values>()>;
  /// Computes an iteration from its number (a scalar of i64), the carried values, and its rows.
  using Body = llvm::function_ref<mlir::FailureOr<Iteration>(mlir::Value, llvm::ArrayRef<mlir::Value>,
                                                             llvm::ArrayRef<mlir::Value>)>;
  /// Computes the condition of an iteration from its number and the carried values.
  using Condition = llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value, llvm::ArrayRef<mlir::Value>)>;

  /// Returns the values of the branch that `condition`, one boolean, chooses. Values that differ only in sizes take the
  /// larger size, with an open axis. A list stays a list if both branches have equally many elements.
  mlir::FailureOr<Values> buildIf(mlir::Value condition, Branch onTrue, Branch onFalse);

  /// Builds an nn.for if the number of iterations is known before the first, else an nn.while. Stacks need a bound;
  /// their first axis is open if a run may have fewer iterations. `condition`, if given, is evaluated before every
  /// iteration.
  mlir::FailureOr<LoopResults> buildLoop(const Loop &loop, Body body, Condition condition = nullptr);

  /// Returns the gradients of the single tensor that `compute` returns, with respect to the first `count` values of
  /// `point`.
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
