// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the few things emitters build from: addresses, loads and stores of vectors or parts of them, loops, constants.
// Why:   emitters then read like the loops they write; what differs between instruction sets in a tail is said once.
// How:   everything is a 1-D vector over a flat memref; a tail is one masked vector where the machine has masks for it,
//        else vectors of halving width.

#ifndef NACRE_CODEGEN_CPU_VECTORBUILDER_H
#define NACRE_CODEGEN_CPU_VECTORBUILDER_H

#include "codegen/Term.h"
#include "codegen/cpu/KernelFunction.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nacre::codegen::cpu {

/// Where a loop stands: its counter, if it has one, plus a constant.
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

/// Cuts `count` elements into vectors of `width` and a tail. `masks`: the tail is one masked vector where that takes
/// fewer.
llvm::SmallVector<Piece> cutIntoPieces(int64_t count, unsigned width, bool masks);

/// Whether one instruction loads or stores a part of a vector of such elements.
bool hasMasks(const Target &target, unsigned elementBits);

class VectorBuilder final : public TermBuilder {
public:
  explicit VectorBuilder(KernelFunction &function);

  const Target &target;
  const llvm::ArrayRef<mlir::Value> buffers; ///< Of the kernel's arguments.

  // Constants, each built once, at the start of the function.
  mlir::Value index(int64_t value);
  mlir::Value constant(mlir::TypedAttr value) override;

  /// offset + sum of strides[i] * at[i].
  mlir::Value address(llvm::ArrayRef<Position> at, llvm::ArrayRef<int64_t> strides, int64_t offset);
  mlir::Value add(mlir::Value index, int64_t constant);
  /// Sums and products of indices.
  mlir::Value sum(mlir::Value a, mlir::Value b) { return address({{a, 0}, {b, 0}}, {1, 1}, 0); }
  mlir::Value scaled(mlir::Value index, int64_t by) { return address({{index, 0}}, {by}, 0); }
  /// Of an index that is not negative.
  mlir::Value divide(mlir::Value index, int64_t by);
  mlir::Value remainder(mlir::Value index, int64_t by);

  /// An operator with one result.
  template <typename Op, typename... Operands> mlir::Value make(Operands... operands) {
    return Op::create(ops, loc, operands...).getResult();
  }
  /// An instruction that LLVM has a name for.
  mlir::Value intrinsic(const llvm::Twine &name, mlir::Type type, mlir::ValueRange operands);

  /// The same index, of which the optimizer knows nothing: it takes no long line of addresses apart in search of better ones,
  /// which takes the square of their number.
  mlir::Value hidden(mlir::Value index);
  /// The same vector of x86's, as a sum of which no part is added up elsewhere: that takes registers.
  mlir::Value hiddenVector(mlir::Value vector);

  /// LLVM moves no load or store over this point, at which there is no instruction.
  void fence();

  /// Elements address, address + 1, ...; lanes beyond the piece are zero.
  mlir::Value load(mlir::Value buffer, mlir::Value address, Piece piece);
  /// Elements address, address + stride, ... one by one.
  mlir::Value loadStrided(mlir::Value buffer, mlir::Value address, int64_t stride, Piece piece);
  mlir::Value loadScalar(mlir::Value buffer, mlir::Value address);
  /// `count` words, as integers of type `word`, from a buffer of bytes, or of such words.
  mlir::Value loadWords(mlir::Value buffer, mlir::Value address, int64_t count, mlir::Type word);
  /// One word, of which only the first `valid` elements are in memory; the others are zero.
  mlir::Value loadWord(mlir::Value buffer, mlir::Value address, mlir::Type word, int64_t valid);
  /// The elements at `indices`, a vector of integers none of which leads out of the buffer.
  mlir::Value gather(mlir::Value buffer, mlir::Value indices);

  // A pointer that loads and stores move on: what the optimizer does not know to be so far from another has a register of its own
  // through a loop, and the addition becomes a part of the load or the store.
  mlir::Value pointer(mlir::Value buffer, mlir::Value address);
  mlir::Value moved(mlir::Value pointer, int64_t bytes);
  mlir::Value loadAt(mlir::Value pointer, mlir::VectorType type);
  mlir::Value loadWordsAt(mlir::Value pointer, mlir::VectorType type);
  void storeAt(mlir::Value vector, mlir::Value pointer);
  /// The 8 bytes there, half of a vector of `joinHalves`, each of which has a load of its own.
  mlir::Value loadHalfAt(mlir::Value pointer, bool isHigh);
  mlir::Value joinHalves(mlir::Value low, mlir::Value high, mlir::VectorType type);
  /// Four vectors that lie one after another, by an instruction that NEON has.
  llvm::SmallVector<mlir::Value, 4> loadFourAt(mlir::Value pointer, mlir::VectorType type);
  /// Elements of two to four vectors in turns, by instructions that NEON has for vectors of 128 bits.
  llvm::SmallVector<mlir::Value, 4> loadInterleavedAt(mlir::Value pointer, unsigned count, mlir::VectorType type);
  void storeInterleavedAt(llvm::ArrayRef<mlir::Value> vectors, mlir::Value pointer);
  void store(mlir::Value vector, mlir::Value buffer, mlir::Value address, Piece piece);
  void storeStrided(mlir::Value vector, mlir::Value buffer, mlir::Value address, int64_t stride, Piece piece);
  void storeScalar(mlir::Value scalar, mlir::Value buffer, mlir::Value address);

  /// A scalar in all lanes; vectors are left alone.
  mlir::Value broadcast(mlir::Value value, unsigned width);
  mlir::Value lane(mlir::Value vector, unsigned lane);
  /// Parts of `lanes` lanes each, or the vector itself if it has no more; `join` is the inverse.
  llvm::SmallVector<mlir::Value> split(mlir::Value vector, unsigned lanes);
  mlir::Value join(llvm::ArrayRef<mlir::Value> parts);
  /// Lanes beyond the piece replaced by those of `other`, for a piece of fewer lanes than `width` lifted to a whole
  /// vector.
  mlir::Value widen(mlir::Value vector, Piece piece, mlir::Value other, unsigned width);

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(Position, mlir::ValueRange)>;
  /// for (counter = low; counter < high; counter += step), `carried` through its iterations. A single iteration becomes straight
  /// code, none becomes nothing.
  llvm::SmallVector<mlir::Value> loop(int64_t low, int64_t high, int64_t step, mlir::ValueRange carried, Body body);
  llvm::SmallVector<mlir::Value> loop(mlir::Value low, mlir::Value high, int64_t step, mlir::ValueRange carried,
                                      Body body);
  /// The same without values.
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

/// `element` for a width of 0, else a vector of it.
mlir::Type vectorOf(mlir::Type element, unsigned width);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_VECTORBUILDER_H
