// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  builds the code that emitters consist of: addresses, loops, constants, and loads and stores of vectors or
//        parts of vectors.
// Why:   emitters then read like the loops that they emit, and only this class knows how instruction sets differ in
//        tails.
// How:   all vectors are 1-D, and all buffers are flat memrefs. A tail is one masked vector if the machine has masks
//        for its type. Otherwise, a tail consists of vectors of halving width.

#ifndef NACRE_CODEGEN_CPU_VECTORBUILDER_H
#define NACRE_CODEGEN_CPU_VECTORBUILDER_H

#include "codegen/Term.h"
#include "codegen/cpu/KernelFunction.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre::codegen::cpu {

/// Iteration of a loop: the loop's counter plus a constant. The counter is null if the iteration is static.
struct Position {
  mlir::Value counter;
  int64_t constant = 0;

  Position operator+(int64_t distance) const { return {counter, constant + distance}; }
};

/// Consecutive elements that are computed together: `lanes` of them, in a vector of `width` lanes, from `offset` on.
struct Piece {
  int64_t offset = 0;
  unsigned lanes = 1;
  unsigned width = 1;
  bool masked() const { return lanes != width; }
};

/// Divides `count` elements into vectors of `width` lanes and a tail. If `masks`, the tail is one masked vector where
/// this saves pieces.
llvm::SmallVector<Piece> cutIntoPieces(int64_t count, unsigned width, bool masks);

/// True if one instruction loads or stores a part of a vector of elements of this size.
bool hasMasks(const Target &target, unsigned elementBits);

class VectorBuilder final : public TermBuilder {
public:
  explicit VectorBuilder(KernelFunction &function);

  const Target &target;
  const llvm::ArrayRef<mlir::Value> buffers; ///< The buffers among the kernel's arguments

  // Constants are built once, at the start of the function.
  mlir::Value index(int64_t value);
  mlir::Value constant(mlir::TypedAttr value) override;

  /// Returns `offset` plus the sum of all strides[i] * at[i].
  mlir::Value address(llvm::ArrayRef<Position> at, llvm::ArrayRef<int64_t> strides, int64_t offset);
  mlir::Value add(mlir::Value index, int64_t constant);
  /// Returns a sum or a product of indices.
  mlir::Value sum(mlir::Value a, mlir::Value b) { return address({{a, 0}, {b, 0}}, {1, 1}, 0); }
  mlir::Value scaled(mlir::Value index, int64_t by) { return address({{index, 0}}, {by}, 0); }
  /// Divides an index that is not negative.
  mlir::Value divide(mlir::Value index, int64_t by);
  mlir::Value remainder(mlir::Value index, int64_t by);

  /// Creates an `Op` with one result, and returns this result.
  template <typename Op, typename... Operands> mlir::Value make(Operands... operands) {
    return Op::create(ops, loc, operands...).getResult();
  }
  /// Calls the LLVM intrinsic `name`.
  mlir::Value intrinsic(const llvm::Twine &name, mlir::Type type, mlir::ValueRange operands);
  /// Calls the LLVM intrinsic `name`, which has no result.
  void call(const llvm::Twine &name, mlir::ValueRange operands);

  /// Returns `index` in a form that the optimizer cannot analyze. Otherwise LLVM splits long address sums to share
  /// their parts, in quadratic time.
  mlir::Value hidden(mlir::Value index);
  /// Returns `vector`, an x86 vector that is a sum, in a form that the optimizer cannot analyze. Otherwise LLVM adds up
  /// its parts elsewhere, which takes more registers.
  mlir::Value hiddenVector(mlir::Value vector);

  /// Keeps LLVM from moving loads or stores across this point. Emits no instruction.
  void fence();

  /// Loads the lanes of the piece from address, address + 1, ... The other lanes become zero.
  mlir::Value load(mlir::Value buffer, mlir::Value address, Piece piece);
  /// Loads the elements at address, address + stride, ... one by one.
  mlir::Value loadStrided(mlir::Value buffer, mlir::Value address, int64_t stride, Piece piece);
  mlir::Value loadScalar(mlir::Value buffer, mlir::Value address);
  /// Loads `count` words as integers of type `word`. The elements of the buffer are bytes, or words of this type.
  mlir::Value loadWords(mlir::Value buffer, mlir::Value address, int64_t count, mlir::Type word);
  /// Loads one word. Only its first `valid` elements are in memory; the others become zero.
  mlir::Value loadWord(mlir::Value buffer, mlir::Value address, mlir::Type word, int64_t valid);
  /// Loads the elements at `indices`, a vector of integers that must all lie in the buffer.
  mlir::Value gather(mlir::Value buffer, mlir::Value indices);

  /// Returns an address of pointer() as LLVM's pointer.
  mlir::Value asPointer(mlir::Value pointer);
  /// Returns a pointer to a copy of `bytes` on the stack, which is made once, at the start of the function.
  mlir::Value inMemory(llvm::ArrayRef<uint8_t> bytes);

  // Loads and stores through a pointer that the loop advances. LLVM does not know the distance between two such
  // pointers, so that each keeps its own register through a loop. The addition can then become a part of the load or
  // store.
  mlir::Value pointer(mlir::Value buffer, mlir::Value address);
  mlir::Value moved(mlir::Value pointer, int64_t bytes);
  mlir::Value loadAt(mlir::Value pointer, mlir::VectorType type);
  mlir::Value loadWordsAt(mlir::Value pointer, mlir::VectorType type);
  void storeAt(mlir::Value vector, mlir::Value pointer);
  /// Loads 8 bytes as one half of a vector that `joinHalves` completes. Each half is loaded by a separate instruction.
  mlir::Value loadHalfAt(mlir::Value pointer, bool isHigh);
  mlir::Value joinHalves(mlir::Value low, mlir::Value high, mlir::VectorType type);
  /// Loads four consecutive vectors by one NEON instruction.
  llvm::SmallVector<mlir::Value, 4> loadFourAt(mlir::Value pointer, mlir::VectorType type);
  /// Loads two to four vectors of 128 bits whose elements are interleaved in memory, by one NEON instruction.
  /// storeInterleavedAt() is the inverse.
  llvm::SmallVector<mlir::Value, 4> loadInterleavedAt(mlir::Value pointer, unsigned count, mlir::VectorType type);
  void storeInterleavedAt(llvm::ArrayRef<mlir::Value> vectors, mlir::Value pointer);
  void store(mlir::Value vector, mlir::Value buffer, mlir::Value address, Piece piece);
  void storeStrided(mlir::Value vector, mlir::Value buffer, mlir::Value address, int64_t stride, Piece piece);
  void storeScalar(mlir::Value scalar, mlir::Value buffer, mlir::Value address);

  /// Broadcasts a scalar to all lanes; returns vectors unchanged.
  mlir::Value broadcast(mlir::Value value, unsigned width);
  mlir::Value lane(mlir::Value vector, unsigned lane);
  /// Splits `vector` into parts of `lanes` lanes. A vector of at most `lanes` lanes is the only part. `join` is the
  /// inverse.
  llvm::SmallVector<mlir::Value> split(mlir::Value vector, unsigned lanes);
  mlir::Value join(llvm::ArrayRef<mlir::Value> parts);
  /// Returns a vector of `width` lanes: first the valid lanes of the piece, then the lanes of `other`.
  mlir::Value widen(mlir::Value vector, Piece piece, mlir::Value other, unsigned width);

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(Position, mlir::ValueRange)>;
  /// Emits for (counter = low; counter < high; counter += step), with loop-carried values that begin as `carried`. A
  /// single iteration is emitted without a loop. Returns the final values.
  llvm::SmallVector<mlir::Value> loop(int64_t low, int64_t high, int64_t step, mlir::ValueRange carried, Body body);
  llvm::SmallVector<mlir::Value> loop(mlir::Value low, mlir::Value high, int64_t step, mlir::ValueRange carried,
                                      Body body);
  /// Emits a loop without loop-carried values.
  void loop(int64_t low, int64_t high, int64_t step, llvm::function_ref<void(Position)> body);
  void loop(mlir::Value low, mlir::Value high, int64_t step, llvm::function_ref<void(Position)> body);

private:
  mlir::Value mask(Piece piece);
  llvm::SmallVector<mlir::Value, 4> loadSeveralAt(mlir::Value pointer, unsigned count, mlir::VectorType type,
                                                  llvm::StringRef instruction);

  mlir::OpBuilder atEntry;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants, inStack;
  llvm::DenseMap<std::pair<unsigned, unsigned>, mlir::Value> masks;
};

/// Returns `element` if `width` is 0. Otherwise, returns a vector of `width` elements.
mlir::Type vectorOf(mlir::Type element, unsigned width);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_VECTORBUILDER_H
