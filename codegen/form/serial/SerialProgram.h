// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  emits the program for one point of a serial kernel, with memory instead of tensors.
// Why:   tensors are lowered in the same way for every engine. Only loads, stores and scalar operations differ.
// How:   a tensor is a place: memory, an offset and a stride for each axis. An insertion writes to this place, which
//        becomes the place of the new tensor. This is correct because verify-kernels ensures that no operation reads
//        the old tensor afterwards. Control flow stays, but carries only scalars.

#ifndef NACRE_CODEGEN_FORM_SERIAL_SERIALPROGRAM_H
#define NACRE_CODEGEN_FORM_SERIAL_SERIALPROGRAM_H

#include "codegen/form/serial/SerialForm.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace nacre::codegen {

/// Position of a tensor in memory.
struct Place {
  std::optional<unsigned> argument; ///< Argument of the kernel; `nullopt` for scratch.
  mlir::Value scratch;
  mlir::Value offset; ///< Variable part of the offset; null if only `constantOffset` applies.
  int64_t constantOffset = 0;
  llvm::SmallVector<int64_t> strides;
  mlir::Type elementType;
};

/// Emits an engine's operations on scalars. An mlir::Value `value` belongs to the kernel's body, not to the emitted
/// code.
class SerialEngine {
public:
  virtual mlir::Value load(mlir::Value value, const Place &place, mlir::Value address) = 0;
  virtual void store(mlir::Value stored, const Place &place, mlir::Value address) = 0;
  /// Emits an operation of arith or math.
  virtual mlir::Value compute(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands) = 0;
  virtual mlir::Value constant(mlir::TypedAttr value) = 0;
  /// Allocates flat memory for a tensor that only the point uses.
  virtual mlir::Value allocate(mlir::RankedTensorType type) = 0;
  /// Returns the type in which control flow carries `value`. `carry` converts `emitted` to that type. `emitted` was
  /// emitted for `value`, or for a value that control flow passes on as `value`.
  virtual mlir::Type typeOf(mlir::Value value) = 0;
  virtual mlir::Value carry(mlir::Value emitted, mlir::Value value) = 0;
  /// True if a loop that carries values must iterate at least once.
  virtual bool mustIterate() const { return false; }
  /// Emits nested loops whose iterations may run in parallel. Each loop but the last contains only the next loop.
  /// `iteration` emits the iteration at `counters`. Returns false if the engine runs the loops sequentially; it then
  /// has emitted nothing.
  using Iteration = llvm::function_ref<void(mlir::ValueRange counters)>;
  virtual bool parallel(llvm::ArrayRef<mlir::scf::ForOp>, Iteration) { return false; }
  /// Returns the number of iterations of `loop` to unroll together. It divides the trip count, and may equal it.
  virtual int64_t iterationsAtOnce(mlir::scf::ForOp) const { return 1; }

protected:
  ~SerialEngine() = default;
};

class SerialProgram {
public:
  SerialProgram(mlir::OpBuilder &ops, mlir::Location loc, const SerialForm &form, SerialEngine &engine)
      : ops(ops), loc(loc), form(form), engine(engine) {}

  /// Emits the program of the point at `indices`, which has one index for each loop over points.
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

  /// Returns the scalars among `values`, converted to the types in which control flow carries `as`.
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

#endif // NACRE_CODEGEN_FORM_SERIAL_SERIALPROGRAM_H
