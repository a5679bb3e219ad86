// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a product of bytes as the templates of tiles see it: its elements are words of four steps.
// Why:   GPUs multiply the four bytes of two words, and add up the products, with one instruction. A product of words
//        has the loops, addresses and tiles of a product of floats.
// How:   the right operand is a weight in panels of groups of steps (codegen/form/DepthGroups.h). Its words are in
//        memory. The words of the left operand are in memory, too, if they are aligned. If not, they are joined from
//        bytes.

#ifndef NACRE_CODEGEN_GPU_CONTRACTION_WORDPRODUCT_H
#define NACRE_CODEGEN_GPU_CONTRACTION_WORDPRODUCT_H

#include "codegen/form/ContractionForm.h"
#include "codegen/gpu/KernelFunction.h"

namespace nacre::codegen::gpu {

/// A product whose Lhs and Rhs have i32 elements, which are words of bytes. Strides, offsets and panels count words.
struct WordProduct : MatrixProduct {
  /// Number of bytes from which a word of Lhs is joined. Strides and offsets of Lhs then count bytes. 0 if the words of
  /// Lhs are in memory.
  int64_t joinedBytes = 0;
  /// A loop over the groups of a run, if its last group overlaps the previous one: the level of the loop in `depth`,
  /// and the largest offset of a group in Lhs.
  struct Overlap {
    unsigned level;
    int64_t largest;
  };
  std::optional<Overlap> overlap;
  /// True if the innermost depth loop has the two words of a group. The two words of a column are adjacent in Rhs.
  bool hasPairs = false;
};

/// Returns `product`, whose factors are bytes, in words. If this is not possible, sets the reason in
/// `function.declined`.
std::optional<WordProduct> inWords(const MatrixProduct &product, KernelFunction &function);

/// Returns the sum of `sum`, a vector of four i32, and the dot products of the word `left` and each word of `right`.
mlir::Value addDotProducts(mlir::OpBuilder &ops, mlir::Location loc, const WordProduct &product, mlir::Value left,
                           mlir::Value right, mlir::Value sum);

/// The bits that differ between each byte of a word as an unsigned number and the same number less 128 as a signed one.
/// As signed bytes, each is -128.
constexpr int32_t kSignBits = int32_t(0x80808080);

/// Returns `words`, a vector of words of unsigned bytes, less 128 in each byte: words of signed bytes.
mlir::Value lessSignBits(mlir::OpBuilder &ops, mlir::Location loc, mlir::Value words);

/// Returns `sums`, a vector with a sum for each of four columns, plus the products of `weight` and all words of each
/// column. All bytes are signed. `columns` has a vector of words for each column.
mlir::Value addColumns(mlir::OpBuilder &ops, mlir::Location loc, mlir::ValueRange columns, mlir::Value weight,
                       mlir::Value sums);

} // namespace nacre::codegen::gpu

#endif // NACRE_CODEGEN_GPU_CONTRACTION_WORDPRODUCT_H
