// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  loads the elements of a tile's rows, by which its columns are multiplied.
// Why:   if an instruction multiplies by an element of a register, one load brings several elements. The loops of a
//        tile do not depend on that.
// How:   a load brings elements of consecutive steps of one row, or elements of consecutive rows for one step. If
//        neither is contiguous, each load brings a single element.

#ifndef NACRE_CODEGEN_CPU_TILES_ROWELEMENTS_H
#define NACRE_CODEGEN_CPU_TILES_ROWELEMENTS_H

#include "codegen/cpu/VectorMath.h"
#include "codegen/cpu/tiles/MicroTile.h"
#include "dialects/StoredBytes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include <functional>

namespace nacre::codegen::cpu {

/// True if an instruction multiplies integers, or words of several steps. Its operands take many registers.
inline bool isOfWords(const LoopedContraction &contraction) {
  return contraction.isOfIntegers() || contraction.groups.k > 1;
}

/// True if one load brings elements of several steps of a row.
inline bool loadsRowVectors(const MachineRow &machine, const LoopedContraction &contraction) {
  const int64_t k = contraction.groups.k;
  return machine.geometry.multipliesByElement && contraction.depth.back().strides[Contraction::Lhs] == k &&
         contraction.groups.valid() == k;
}

/// True if one load brings elements of several rows, for one step.
inline bool loadsRowsTogether(const MachineRow &machine, const LoopedContraction &contraction) {
  return machine.geometry.multipliesByElement && contraction.groups.k == 1 &&
         contraction.depth.back().strides[Contraction::Lhs] != 1 &&
         contraction.rows.back().strides[Contraction::Lhs] == 1 && contraction.rows.back().size > 1;
}

/// Returns the type of a lane of an operand's factors: a float of the sums' type, a half if `machine` multiplies
/// halves, or a word of several steps. `element` is the type of the operand in memory.
inline mlir::Type factorType(const MachineRow &machine, const LoopedContraction &contraction, mlir::Type element) {
  const int64_t k = contraction.groups.k;
  if (k == 1)
    return contraction.isOfIntegers() || machine.hasShortSums() ? element : contraction.accumulatorType;
  return mlir::IntegerType::get(element.getContext(), unsigned(k * element.getIntOrFloatBitWidth()));
}

class RowElements {
public:
  using ElementOf = std::function<mlir::Value(int64_t row, int64_t step)>;

  RowElements(VectorBuilder &build, const LoopedContraction &contraction, mlir::Value buffer, const TileShape &shape)
      : build(build), buffer(buffer), rows(shape.rows), lanes(shape.machine.step.lanes),
        rowStride(contraction.rows.back().strides[Contraction::Lhs]),
        stepStride(contraction.depth.back().strides[Contraction::Lhs]), valid(contraction.groups.valid()),
        overlap(contraction.isOfIntegers() ? 0 : contraction.groups.overlap()), k(contraction.groups.k),
        type(factorType(shape.machine, contraction, contraction.operands[Contraction::Lhs].elementType)),
        element(contraction.groups.k == 1 ? contraction.operands[Contraction::Lhs].elementType : type),
        byVectors(loadsRowVectors(shape.machine, contraction)),
        together(loadsRowsTogether(shape.machine, contraction) && rows > 1) {}

  bool areVectors() const { return byVectors; }
  bool areTogether() const { return together; }
  mlir::Type inMemory() const { return element; }

  /// Converts elements to the type in which they are multiplied.
  mlir::Value extend(mlir::Value value) {
    return mlir::getElementTypeOrSelf(value.getType()) == type ? value : emitExtend(build, value, type);
  }

  /// Returns the pointers that the iterations of a loop advance. Each row has one, because rows lie too far apart for
  /// one pointer. Rows that are loaded together share one.
  llvm::SmallVector<mlir::Value> pointers(mlir::Value at) {
    llvm::SmallVector<mlir::Value> pointers;
    for (int64_t row = 0; row < (together ? 1 : rows); ++row)
      pointers.push_back(build.pointer(buffer, build.add(at, row * rowStride)));
    return pointers;
  }

  /// Elements of an iteration, and the pointers of the next iteration.
  struct Iteration {
    ElementOf elementOf;
    llvm::SmallVector<mlir::Value> next;
  };
  Iteration iteration(mlir::ValueRange pointers, int64_t steps) {
    const int64_t bytes = bytesOfElement(element);
    if (together) {
      llvm::SmallVector<mlir::Value> ofSteps = {pointers.front()};
      while (int64_t(ofSteps.size()) <= steps)
        ofSteps.push_back(build.moved(ofSteps.back(), stepStride * bytes));
      return {ofPieces([this, ofSteps, bytes](int64_t step, Piece piece) {
                return build.loadAt(build.add(ofSteps[step], piece.offset * bytes),
                                    mlir::VectorType::get({int64_t(piece.width)}, element));
              }),
              {ofSteps.back()}};
    }
    llvm::SmallVector<mlir::Value> vectors, next;
    for (mlir::Value row : pointers) {
      vectors.push_back(loadAt(row, steps));
      next.push_back(build.moved(row, steps * bytes));
    }
    return {[this, vectors](int64_t row, int64_t step) { return build.lane(vectors[row], step); }, next};
  }

  /// Returns the elements of `steps` steps from the address `at` on. If `asVectors`, elements of a row are loaded as
  /// vectors.
  ElementOf straight(mlir::Value at, int64_t steps, bool asVectors) {
    if (together)
      return ofPieces([this, at](int64_t step, Piece piece) {
        return build.load(buffer, build.add(at, step * stepStride + piece.offset), {0, piece.width, piece.width});
      });
    llvm::SmallVector<mlir::Value> addresses, vectors;
    for (int64_t row = 0; row < rows; ++row)
      addresses.push_back(build.add(at, row * rowStride));
    if (!asVectors)
      return
          [this, addresses](int64_t row, int64_t step) { return load(build.add(addresses[row], step * stepStride)); };
    for (mlir::Value address : addresses)
      vectors.push_back(loadSteps(address, steps));
    return [this, vectors](int64_t row, int64_t step) { return build.lane(vectors[row], step); };
  }

  /// Returns the last word of a run, without the steps that the word before it has, too. The panel has zeros for them,
  /// but an infinity times zero is NaN.
  mlir::Value withoutOverlap(mlir::Value word) const {
    if (overlap == 0)
      return word;
    const unsigned bits = word.getType().getIntOrFloatBitWidth(),
                   others = bits - bits / unsigned(k) * unsigned(overlap);
    mlir::Value mask =
        build.constant(build.ops.getIntegerAttr(word.getType(), llvm::APInt::getHighBitsSet(bits, others)));
    return mlir::arith::AndIOp::create(build.ops, build.loc, word, mask);
  }

private:
  bool isOfWords() const { return type.isInteger(); }
  mlir::Value load(mlir::Value address) {
    return isOfWords() ? build.loadWord(buffer, address, type, valid) : extend(build.loadScalar(buffer, address));
  }
  mlir::Value loadSteps(mlir::Value address, int64_t steps) {
    return isOfWords() ? build.loadWords(buffer, address, steps, type)
                       : extend(build.load(buffer, address, {0, unsigned(steps), unsigned(steps)}));
  }
  mlir::Value loadAt(mlir::Value pointer, int64_t steps) {
    auto vector = mlir::VectorType::get({steps}, element);
    return isOfWords() ? build.loadWordsAt(pointer, vector) : extend(build.loadAt(pointer, vector));
  }

  /// Returns the elements of steps whose rows are loaded together, by `load`. Each load is emitted when it is first
  /// needed.
  ElementOf ofPieces(std::function<mlir::Value(int64_t step, Piece piece)> load) {
    auto pieces = cutIntoPieces(rows, lanes, /*masks=*/false);
    auto loaded = std::make_shared<llvm::DenseMap<std::pair<int64_t, int64_t>, mlir::Value>>();
    return [this, load = std::move(load), pieces, loaded](int64_t row, int64_t step) {
      const auto *piece = llvm::find_if(pieces, [&](Piece each) { return row < each.offset + int64_t(each.lanes); });
      mlir::Value &values = (*loaded)[{step, piece->offset}];
      if (!values)
        values = extend(load(step, *piece));
      return build.lane(values, row - piece->offset);
    };
  }

  VectorBuilder &build;
  const mlir::Value buffer;
  const int64_t rows;
  const unsigned lanes;
  const int64_t rowStride, stepStride;
  const int64_t valid;            ///< Number of steps of a word that are in memory
  const int64_t overlap, k;       ///< Number of steps of the last word to clear, and of all steps of a word
  const mlir::Type type, element; ///< Types of a factor, and of an element in memory
  const bool byVectors, together;
};

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_TILES_ROWELEMENTS_H
