// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  writes the program of a serial kernel's point with memory in place of tensors.
// Why:   what tensors become is the same for every engine; only how a number is loaded, stored and computed with is not.
// How:   a tensor is a place: memory, an offset and a stride per axis. What is inserted into is written there, and the
//        new tensor is the same place: verify-kernels has seen that nobody reads an older name. Control flow stays, and
//        carries the scalars alone.

#ifndef NACRE_CODEGEN_FORM_SERIALPROGRAM_H
#define NACRE_CODEGEN_FORM_SERIALPROGRAM_H

#include "codegen/form/SerialForm.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace nacre::codegen {

/// Where a tensor lies.
struct Place {
  std::optional<unsigned> argument; ///< Of the kernel; none for scratch.
  mlir::Value scratch;
  mlir::Value offset; ///< Null: 0.
  int64_t constantOffset = 0;
  llvm::SmallVector<int64_t> strides;
  mlir::Type elementType;
};

/// What an engine does with single numbers. `value` is always the program's own.
class SerialEngine {
public:
  virtual mlir::Value load(mlir::Value value, const Place &place, mlir::Value address) = 0;
  virtual void store(mlir::Value stored, const Place &place, mlir::Value address) = 0;
  /// Of arith or math.
  virtual mlir::Value compute(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands) = 0;
  virtual mlir::Value constant(mlir::TypedAttr value) = 0;
  /// Flat memory for a tensor that is the point's own.
  virtual mlir::Value allocate(mlir::RankedTensorType type) = 0;
  /// How control flow carries `value`, and `emitted`, what was made of it or of one that becomes it, in this type.
  virtual mlir::Type typeOf(mlir::Value value) = 0;
  virtual mlir::Value carry(mlir::Value emitted, mlir::Value value) = 0;
  /// Whether a loop that carries something must iterate at least once.
  virtual bool mustIterate() const { return false; }
  /// Loops of which each but the last has the next for its body, and whose iterations may run in parallel: `iteration` writes one, where
  /// the loops stand at `counters`.
  /// False where the engine lets them run one after another.
  using Iteration = llvm::function_ref<void(mlir::ValueRange counters)>;
  virtual bool parallel(llvm::ArrayRef<mlir::scf::ForOp>, Iteration) { return false; }
  /// Returns how many iterations of `loop` to unroll: a divisor of its trip count, which may be all of them.
  virtual int64_t iterationsAtOnce(mlir::scf::ForOp) const { return 1; }

protected:
  ~SerialEngine() = default;
};

class SerialProgram {
public:
  SerialProgram(mlir::OpBuilder &ops, mlir::Location loc, const SerialForm &form, SerialEngine &engine)
      : ops(ops), loc(loc), form(form), engine(engine) {}

  /// Writes the program of the point at `indices`, one per loop of the points.
  void emit(mlir::ValueRange indices);

private:
  // Values and places
  mlir::Value valueOf(mlir::Value value);
  Place placeOf(mlir::Value tensor);
  Place placeIn(const StridedSlice &slice, mlir::Type elementType) const;
  Place slice(Place place, llvm::ArrayRef<mlir::OpFoldResult> offsets);
  mlir::Value address(const Place &place, mlir::ValueRange indices);
  mlir::Value add(mlir::Value a, mlir::Value b) const;
  mlir::Value scaled(mlir::Value index, int64_t by) const;

  // Operations
  void emitBlock(mlir::Block &block);
  void emitOperation(mlir::Operation *op);
  void emitFor(mlir::scf::ForOp loop);
  void emitIterations(mlir::scf::ForOp loop, llvm::ArrayRef<mlir::Value> inits);
  bool emitParallel(mlir::scf::ForOp loop);
  void emitWhile(mlir::scf::WhileOp loop);
  void emitIf(mlir::scf::IfOp branch);

  /// Those that are no tensors, as control flow carries `as`.
  llvm::SmallVector<mlir::Value> carried(mlir::ValueRange values, mlir::ValueRange as);
  void bind(mlir::ValueRange values, mlir::ValueRange emitted);
  void bindPlaces(mlir::ValueRange values, mlir::ValueRange from);
  llvm::SmallVector<mlir::Type> typesOf(mlir::ValueRange values);

  mlir::OpBuilder &ops;
  mlir::Location loc;
  const SerialForm &form;
  SerialEngine &engine;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
  llvm::DenseMap<mlir::Value, Place> places;
};

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_FORM_SERIALPROGRAM_H
