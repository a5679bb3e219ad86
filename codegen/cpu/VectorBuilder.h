// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the parts from which emitters build: addresses, loads and stores of vectors or parts of them, loops,
//        constants.
// Why:   emitters then read like the loops that they write, and the instruction sets' differences in tails are handled
//        once.
// How:   everything is a 1-D vector over a flat memref. A tail is one masked vector if the machine has masks for it,
//        else vectors of halving width.

#ifndef NACRE_CODEGEN_CPU_VECTORBUILDER_H
#define NACRE_CODEGEN_CPU_VECTORBUILDER_H

#include "codegen/Term.h"
#include "codegen/cpu/KernelFunction.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre::codegen::cpu {

/// Iteration of a loop: its counter, if it has one, plus a constant.
struct Position {
  mlir::Value counter;
  int64_t constant = 0;

  Position operator+(int64_t distance) const { return {counter, constant + distance}; }
};

/// Consecutive elements that are computed at once: `lanes` of them, in a vector of `width` lanes.
struct Piece {
  int64_t offset = 0;
  unsigned lanes = 1;
  unsigned width = 1;
  bool masked() const { return lanes != width; }
};

/// Divides `count` elements into vectors of `width` and a tail. `masks`: the tail is one masked vector if that is fewer
/// pieces.
llvm::SmallVector<Piece> cutIntoPieces(int64_t count, unsigned width, bool masks);

/// True if one instruction loads or stores a part of a vector of such elements.
bool hasMasks(const Target &target, unsigned elementBits);

class VectorBuilder final : public TermBuilder {
public:
  explicit VectorBuilder(KernelFunction &function);

  const Target &target;
  const llvm::ArrayRef<mlir::Value> buffers; ///< Buffers of the kernel's arguments

  // Constants. Each is built once, at the start of the function.
  mlir::Value index(int64_t value);
  mlir::Value constant(mlir::TypedAttr value) override;

  /// Returns offset + sum of strides[i] * at[i].
  mlir::Value address(llvm::ArrayRef<Position> at, llvm::ArrayRef<int64_t> strides, int64_t offset);
  mlir::Value add(mlir::Value index, int64_t constant);
  /// Return sums and products of indices.
  mlir::Value sum(mlir::Value a, mlir::Value b) { return address({{a, 0}, {b, 0}}, {1, 1}, 0); }
  mlir::Value scaled(mlir::Value index, int64_t by) { return address({{index, 0}}, {by}, 0); }
  /// Divide an index that is not negative.
  mlir::Value divide(mlir::Value index, int64_t by);
  mlir::Value remainder(mlir::Value index, int64_t by);

  /// Creates an operator with one result.
  template <typename Op, typename... Operands> mlir::Value make(Operands... operands) {
    return Op::create(ops, loc, operands...).getResult();
  }
  /// Creates an instruction that LLVM has a name for.
  mlir::Value intrinsic(const llvm::Twine &name, mlir::Type type, mlir::ValueRange operands);

  /// Returns the same index, hidden from the optimizer. Otherwise it takes long lists of addresses apart to find better
  /// ones, which takes the square of their number.
  mlir::Value hidden(mlir::Value index);
  /// Returns the same x86 vector, hidden as a sum. Otherwise LLVM adds up parts of it elsewhere, which takes registers.
  mlir::Value hiddenVector(mlir::Value vector);

  /// Keeps LLVM from moving loads or stores over this point. There is no instruction.
  void fence();

  /// Loads the elements address, address + 1, ...; lanes beyond the piece are zero.
  mlir::Value load(mlir::Value buffer, mlir::Value address, Piece piece);
  /// Loads the elements address, address + stride, ... one by one.
  mlir::Value loadStrided(mlir::Value buffer, mlir::Value address, int64_t stride, Piece piece);
  mlir::Value loadScalar(mlir::Value buffer, mlir::Value address);
  /// Loads `count` words, as integers of type `word`, from a buffer of bytes, or of such words.
  mlir::Value loadWords(mlir::Value buffer, mlir::Value address, int64_t count, mlir::Type word);
  /// Loads one word, of which only the first `valid` elements are in memory; the others are zero.
  mlir::Value loadWord(mlir::Value buffer, mlir::Value address, mlir::Type word, int64_t valid);
  /// Loads the elements at `indices`, a vector of integers that must all lie in the buffer.
  mlir::Value gather(mlir::Value buffer, mlir::Value indices);

  // Pointers that loads and stores move on. If the optimizer does not know a pointer's distance from others, the
  // pointer has its own register through a loop. The addition then becomes a part of the load or store.
  mlir::Value pointer(mlir::Value buffer, mlir::Value address);
  mlir::Value moved(mlir::Value pointer, int64_t bytes);
  mlir::Value loadAt(mlir::Value pointer, mlir::VectorType type);
  mlir::Value loadWordsAt(mlir::Value pointer, mlir::VectorType type);
  void storeAt(mlir::Value vector, mlir::Value pointer);
  /// Loads 8 bytes, half of a vector of `joinHalves`; each half has a load of its own.
  mlir::Value loadHalfAt(mlir::Value pointer, bool isHigh);
  mlir::Value joinHalves(mlir::Value low, mlir::Value high, mlir::VectorType type);
  /// Loads four vectors that lie one after another, by one NEON instruction.
  llvm::SmallVector<mlir::Value, 4> loadFourAt(mlir::Value pointer, mlir::VectorType type);
  /// Loads vectors whose elements are interleaved, two to four of 128 bits, by NEON's instructions; stores do the
  /// reverse.
  llvm::SmallVector<mlir::Value, 4> loadInterleavedAt(mlir::Value pointer, unsigned count, mlir::VectorType type);
  void storeInterleavedAt(llvm::ArrayRef<mlir::Value> vectors, mlir::Value pointer);
  void store(mlir::Value vector, mlir::Value buffer, mlir::Value address, Piece piece);
  void storeStrided(mlir::Value vector, mlir::Value buffer, mlir::Value address, int64_t stride, Piece piece);
  void storeScalar(mlir::Value scalar, mlir::Value buffer, mlir::Value address);

  /// Broadcasts a scalar to all lanes; returns vectors unchanged.
  mlir::Value broadcast(mlir::Value value, unsigned width);
  mlir::Value lane(mlir::Value vector, unsigned lane);
  /// Returns parts of `lanes` lanes each, or the vector itself if it has no more lanes; `join` is the inverse.
  llvm::SmallVector<mlir::Value> split(mlir::Value vector, unsigned lanes);
  mlir::Value join(llvm::ArrayRef<mlir::Value> parts);
  /// Returns a vector of `width` lanes that has the lanes of the piece, and those of `other` elsewhere.
  mlir::Value widen(mlir::Value vector, Piece piece, mlir::Value other, unsigned width);

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(Position, mlir::ValueRange)>;
  /// Emits for (counter = low; counter < high; counter += step), with `carried` values. A single iteration becomes
  /// straight code, and no iteration becomes nothing.
  llvm::SmallVector<mlir::Value> loop(int64_t low, int64_t high, int64_t step, mlir::ValueRange carried, Body body);
  llvm::SmallVector<mlir::Value> loop(mlir::Value low, mlir::Value high, int64_t step, mlir::ValueRange carried,
                                      Body body);
  /// Emits the same loop without values.
  void loop(int64_t low, int64_t high, int64_t step, llvm::function_ref<void(Position)> body);
  void loop(mlir::Value low, mlir::Value high, int64_t step, llvm::function_ref<void(Position)> body);

private:
  mlir::Value mask(Piece piece);
  mlir::Value asPointer(mlir::Value pointer);
  llvm::SmallVector<mlir::Value, 4> loadSeveralAt(mlir::Value pointer, unsigned count, mlir::VectorType type,
                                                  llvm::StringRef instruction);

  mlir::OpBuilder atEntry;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  llvm::DenseMap<std::pair<unsigned, unsigned>, mlir::Value> masks;
};

/// Returns `element` for a width of 0, else a vector of it.
mlir::Type vectorOf(mlir::Type element, unsigned width);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_VECTORBUILDER_H
