// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes an element of any tensor inside a kernel, and the values that it depends on.
// Why:   points and rows of all kinds then use the same code: to write an element, an emitter requests its value.
// How:   1. a value is requested at a point of its operation's loops. The indexing maps give the points of its
//           operands, and results of earlier operations are requested recursively;
//        2. a known value at a point is not computed twice, as long as control flow allows it;
//        3. reductions are loops around their bodies, and short ones are unrolled;
//        4. bodies may read storages at computed indices.

#ifndef NACRE_CODEGEN_GPU_POINTS_EVALUATOR_H
#define NACRE_CODEGEN_GPU_POINTS_EVALUATOR_H

#include "codegen/form/KernelForm.h"
#include "codegen/gpu/points/PointBuilder.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace nacre::codegen::gpu {

/// Returns an estimate of the number of arithmetic operations of a whole kernel.
double countFlops(const KernelForm &form);

class Evaluator {
public:
  Evaluator(PointBuilder &build, plan::KernelOp kernel, const KernelForm &form)
      : build(build), kernel(kernel), form(form), known(1), loaded(1) {}

  /// True if the Evaluator can compute the whole kernel; otherwise, sets `reason`.
  bool accepts(std::string &reason) const;

  /// Returns the result with index `result` of operation `work` at the point `at` of its parallel loops. Positions of
  /// reducing loops are ignored. The value is a vector if the result depends on a loop with lanes.
  mlir::Value evaluate(unsigned work, unsigned result, Point at);

  /// Returns the accumulators of operation `work` after the iteration `at` of all its loops. `carried` has the
  /// accumulators before this iteration.
  llvm::SmallVector<mlir::Value> step(unsigned work, const Point &at, mlir::ValueRange carried);

  /// Declares that the results of `work` at `at` are the values `results`.
  void define(unsigned work, const Point &at, llvm::ArrayRef<mlir::Value> results);

  /// Computes the inputs of `work` that do not depend on its reducing loops, so that they stay outside of these loops.
  void prepare(unsigned work, const Point &at);

  /// Emits `body`, which fills a region of control flow. Afterwards, forgets the values that were computed in it.
  void inScope(llvm::function_ref<void()> body);

  /// Returns the positions of the loops of `work` for which its result `result` is the element at `element`.
  Point loopsOf(unsigned work, unsigned result, llvm::ArrayRef<Position> element);

  /// Returns the number of iterations of the fastest loop that walks an axis of a result. Returns 1 unless several
  /// loops walk it.
  int64_t innermostOf(unsigned work, unsigned result, unsigned axis) const;

  /// Writes `value` at `at`, which has a position for each loop of the access.
  void store(mlir::Value value, const Access &access, const Point &at);

  /// Returns the point at which `work` was evaluated in the open scopes; `nullopt` unless there is exactly one such
  /// point.
  std::optional<Point> onlyPointOf(unsigned work) const;

  /// Axis of an operation's result along which the lanes of vectors lie.
  struct VectorAxis {
    unsigned work, result, axis;
  };
  /// True if vectors of `lanes` elements along an axis never cross from one loop into the next, if several loops walk
  /// the axis. The axis `cutAxis`, if given, has a base. If `along` is given, the result that it names has vectors only
  /// along its axis.
  bool lanesFit(unsigned lanes, std::optional<unsigned> cutAxis, std::optional<VectorAxis> along = {}) const;

private:
  /// Key of a loaded element or vector: argument, number of lanes, offset, and positions with their strides.
  using LoadKey = std::tuple<unsigned, unsigned, int64_t, std::vector<std::pair<Position, int64_t>>>;

  const llvm::SmallVector<mlir::Value> *find(unsigned work, const Point &at) const;
  Point parallelPart(unsigned work, Point at) const;
  Point producerPoint(const Input &input, const Point &at);
  llvm::SmallVector<mlir::Value> compute(unsigned work, const Point &at);
  llvm::SmallVector<mlir::Value> reduce(unsigned work, Point &at, llvm::ArrayRef<unsigned> loops, bool unrolled,
                                        mlir::ValueRange carried);
  void hoist(unsigned work, const Point &at, llvm::ArrayRef<bool> moves);

  // Operands
  mlir::Value readInput(const Work &work, unsigned number, const Point &at);
  mlir::Value load(const Access &access, const Point &at);
  mlir::Value loadPadded(const Access &access, mlir::TypedAttr padding, const Point &at);
  mlir::Value loadPacked(const Input &input, const Point &at);
  bool canLoadVector(const Access &access, const Point &at, unsigned lanes) const;

  // Bodies
  llvm::SmallVector<mlir::Value> runBody(const Work &work, const Point &at, llvm::ArrayRef<mlir::Value> arguments);
  mlir::Value indexOf(const Position &position);
  mlir::Value extract(mlir::tensor::ExtractOp read, const Point &at, const mlir::IRMapping &values);

  PointBuilder &build;
  plan::KernelOp kernel;
  const KernelForm &form;
  /// Known results by operation and point. There is a map for each scope; the innermost scope is last.
  std::vector<std::map<std::pair<unsigned, Point>, llvm::SmallVector<mlir::Value>>> known;
  std::vector<std::map<LoadKey, mlir::Value>> loaded;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_EVALUATOR_H
