// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of `nn` with regions: branches and loops that are decided at run time, and gradients.
//
// Each format represents branches and loops differently. But the rules for their values, the choice of the operator and
// the handling of open axes are the same. The caller passes functions that fill a region: they import a graph of the
// format, or build operators.
//
// A region is filled in a temporary operator, and moved when its results are known. Constants are outside of all
// regions (GraphImporter::getValue). After an error, unfinished operators remain without uses, and are erased with
// other dead code. Errors are reported at the node.

#ifndef NACRE_COMPILER_IMPORT_CONTROL_REGIONBUILDER_H
#define NACRE_COMPILER_IMPORT_CONTROL_REGIONBUILDER_H

#include "compiler/import/builder/NnBuilder.h"

namespace nacre::importer {

/// Operands of a loop before its body is built. Only `initial` is required.
struct Loop {
  std::optional<int64_t> bound; ///< largest number of iterations, if it is known at compile time
  mlir::Value count;            ///< number of iterations, one integer; negative means 0
  mlir::Value goesOn;           ///< condition of the first iteration, one boolean
  llvm::SmallVector<mlir::Value> initial;
  llvm::SmallVector<mlir::Value> scanned; ///< tensors of `bound` rows, one row per iteration; all may have the same
                                          ///< smaller count at run time
  bool reverse = false;                   ///< true to read and write rows from the last to the first
};

/// Results of one iteration of a loop.
struct Iteration {
  llvm::SmallVector<mlir::Value> carried;
  llvm::SmallVector<mlir::Value> rows = {}; ///< one new row for each stacked result
  mlir::Value goesOn = {};                  ///< condition of the next iteration, one boolean; null means true
};

struct LoopResults {
  llvm::SmallVector<mlir::Value> finals, stacks;
};

class RegionBuilder {
public:
  explicit RegionBuilder(NnBuilder nn) : nn(nn), builder(nn.builder), shared(nn.shared) {}

  using Values = llvm::SmallVector<mlir::Value>;
  using Branch = llvm::function_ref<mlir::FailureOr<Values>()>;
  /// Computes an iteration from its index (a scalar of i64), the carried values, and its rows of the scanned tensors.
  using Body = llvm::function_ref<mlir::FailureOr<Iteration>(mlir::Value, llvm::ArrayRef<mlir::Value>,
                                                             llvm::ArrayRef<mlir::Value>)>;
  /// Computes the condition of an iteration from its index and the carried values.
  using Condition = llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value, llvm::ArrayRef<mlir::Value>)>;

  /// Returns the values of the branch that `condition`, one boolean, chooses. If the sizes of a value differ between
  /// the branches, the result has the larger size and an open axis. A list stays a list if its length is the same in
  /// both branches.
  mlir::FailureOr<Values> buildIf(mlir::Value condition, Branch onTrue, Branch onFalse);

  /// Builds an nn.for if the number of iterations is known before the first iteration. Otherwise, builds an nn.while.
  /// Stacked results need a bound; their first axis is open if a run may have fewer iterations. `condition`, if given,
  /// is evaluated before every iteration.
  mlir::FailureOr<LoopResults> buildLoop(const Loop &loop, Body body, Condition condition = nullptr);

  /// Returns the gradients of the tensor that `compute` returns with respect to the first `count` values of `point`.
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
