// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  computes an element of any tensor inside a kernel, with its dependencies.
// Why:   points and rows of all kinds then work in the same way: the code that writes an element asks for its value.
// How:   1. a value is requested at a point of its operation's loops. Its operands follow from the indexing maps;
//        results of earlier operations are requested in turn;
//        2. a known value at a point is not computed twice, as long as control flow allows;
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

/// Returns an estimate of the arithmetic operations of a whole kernel.
double countFlops(const KernelForm &form);

class Evaluator {
public:
  Evaluator(PointBuilder &build, plan::KernelOp kernel, const KernelForm &form)
      : build(build), kernel(kernel), form(form), known(1), loaded(1) {}

  /// True if the Evaluator can compute everything; else sets `reason`.
  bool accepts(std::string &reason) const;

  /// Returns result `result` of operation `work` at the point `at` of its parallel loops; positions of reducing loops
  /// are ignored. It is a vector if the result depends on a loop with lanes.
  mlir::Value evaluate(unsigned work, unsigned result, Point at);

  /// Returns the values of operation `work`'s accumulators after the iteration `at` of all its loops; `carried` are
  /// those before it.
  llvm::SmallVector<mlir::Value> step(unsigned work, const Point &at, mlir::ValueRange carried);

  /// Declares the results of `work` at `at` as known.
  void define(unsigned work, const Point &at, llvm::ArrayRef<mlir::Value> results);

  /// Computes those inputs of `work` that do not depend on its reducing loops, so that they stay outside these loops.
  void prepare(unsigned work, const Point &at);

  /// Emits `body`, which fills a region of control flow, and forgets the values computed in it.
  void inScope(llvm::function_ref<void()> body);

  /// Returns the loops of `work` at which its result `result` has the element at `element` of its tensor.
  Point loopsOf(unsigned work, unsigned result, llvm::ArrayRef<Position> element);

  /// Returns the iterations of the fastest loop that walks an axis of a result, if several loops do, else 1.
  int64_t innermostOf(unsigned work, unsigned result, unsigned axis) const;

  /// Writes `value` at `at`, a position per loop of the access.
  void store(mlir::Value value, const Access &access, const Point &at);

  /// Returns where `work` was evaluated in the scopes that are open; `nullopt` unless at exactly one point.
  std::optional<Point> onlyPointOf(unsigned work) const;

  /// The result of an operation from which vectors are taken, and the axis along which they lie.
  struct VectorAxis {
    unsigned work, result, axis;
  };
  /// True if vectors of `lanes` along an axis never cross from one loop into the next, if several loops walk the axis.
  /// An axis equal to `cutAxis`, if given, has a base. If `along` is given, the result that it names has vectors only
  /// along its axis.
  bool lanesFit(unsigned lanes, std::optional<unsigned> cutAxis, std::optional<VectorAxis> along = {}) const;

private:
  /// An element or a vector: argument, number of lanes, offset, and positions with their strides.
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
  /// Results by operation and point, for each scope; the innermost scope is last.
  std::vector<std::map<std::pair<unsigned, Point>, llvm::SmallVector<mlir::Value>>> known;
  std::vector<std::map<LoadKey, mlir::Value>> loaded;
};

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_POINTS_EVALUATOR_H
