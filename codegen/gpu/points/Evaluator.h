// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes an element of any tensor inside a kernel, and what it depends on.
// Why:   points and rows of all kinds are then the same: whoever writes an element asks for its value.
// How:   1. a value is asked for at a point of its operation's loops; its operands follow from the indexing maps, those
//           that are results of former operations by asking again;
//        2. what is known at a point is not computed twice, as long as control flow allows;
//        3. reductions are loops around their bodies; short ones are unrolled;
//        4. bodies may read storages at computed indices.

#ifndef NACRE_CODEGEN_GPU_POINTS_EVALUATOR_H
#define NACRE_CODEGEN_GPU_POINTS_EVALUATOR_H

#include "codegen/form/KernelForm.h"
#include "codegen/gpu/points/PointBuilder.h"
#include "dialects/plan/PlanDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace nacre::codegen::gpu {

/// Arithmetic of a whole kernel, roughly.
double countFlops(const KernelForm &form);

class Evaluator {
public:
  Evaluator(PointBuilder &build, plan::KernelOp kernel, const KernelForm &form)
      : build(build), kernel(kernel), form(form), known(1), loaded(1) {}

  /// Whether it can compute everything; `reason` says what it cannot.
  bool accepts(std::string &reason) const;

  /// Result `result` of operation `work` at the point `at` of its parallel loops; reducing loops are not looked at.
  /// A vector where a loop has lanes that the result depends on.
  mlir::Value evaluate(unsigned work, unsigned result, Point at);

  /// The values with which operation `work`'s accumulators `carried` leave the iteration `at` of all its loops.
  llvm::SmallVector<mlir::Value> step(unsigned work, const Point &at, mlir::ValueRange carried);

  /// Declares the results of `work` at `at` as known.
  void define(unsigned work, const Point &at, llvm::ArrayRef<mlir::Value> results);

  /// Computes what `work` reads that does not depend on its reducing loops, so that loops over them need not.
  void prepare(unsigned work, const Point &at);

  /// Values computed within `body` are forgotten afterwards: it fills a region of control flow.
  void inScope(llvm::function_ref<void()> body);

  /// The loops of `work` at which its result `result` has the element at `element` of its tensor.
  Point loopsOf(unsigned work, unsigned result, llvm::ArrayRef<Position> element);

  /// How many iterations the fastest of the loops has that count through an axis of a result, if there are several, else 1.
  int64_t innermostOf(unsigned work, unsigned result, unsigned axis) const;

  /// Writes `value` at `at`, a position per loop of the access.
  void store(mlir::Value value, const Access &access, const Point &at);

  /// Where `work` was evaluated in the outermost scope, if at one point only.
  std::optional<Point> onlyPointOf(unsigned work) const;

  /// The result of an operation whose elements vectors are of, and the axis along which these lie.
  struct VectorAxis {
    unsigned work, result, axis;
  };
  /// Whether vectors of `lanes` along an axis never reach from one loop into the next, where an axis has several; `cutAxis` of results,
  /// if any, has a base. Of the result that `along` names, only its axis has vectors.
  bool lanesFit(unsigned lanes, std::optional<unsigned> cutAxis, std::optional<VectorAxis> along = {}) const;

private:
  /// An element, or several: of which argument, how many, from where by which steps.
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
  /// By scope, the innermost last: results by operation and point.
  std::vector<std::map<std::pair<unsigned, Point>, llvm::SmallVector<mlir::Value>>> known;
  std::vector<std::map<LoadKey, mlir::Value>> loaded;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_EVALUATOR_H
