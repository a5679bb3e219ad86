// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  describes the order of channels in registers while their sums are four times as wide as their bytes.
// Why:   x86 interleaves within 128 bits. Sums stay in the resulting order, and narrowing them restores the order of
//        channels. Only the epilogue's inputs for each channel must be reordered, once for each row.
// How:   1. the layout; 2. conversions of bytes to the layout; 3. conversions of sums and operands from and to the
//        layout.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_CHANNELLAYOUT_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_CHANNELLAYOUT_H

#include "codegen/cpu/VectorBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::codegen::cpu {

/// Order of neighbouring channels whose bytes are in one register and whose i32 sums are in up to four registers. In
/// each part of 128 bits, the first register of sums has four channels. The next register has the four channels after
/// these. If `isExtended`, sums of 256 bits come from 128 bits of bytes, in the order of channels.
struct ChannelLayout {
  unsigned width = 1; ///< Number of channels, a power of two
  bool isExtended = false;

  unsigned segments() const { return width > 16 ? width / 16 : 1; }  ///< Number of parts of 128 bits
  unsigned bytes() const { return 16 * segments(); }                 ///< Number of bytes in a register
  unsigned lanes() const { return isExtended ? 8 : 4 * segments(); } ///< Number of sums in a register
  unsigned vectors() const { return width > 16 ? 4 : llvm::divideCeil(width, lanes()); }
  /// Returns the number of sums in all vectors. If there are few channels, it exceeds their number.
  unsigned sums() const { return vectors() * lanes(); }
  /// Returns the number of registers of 16-bit values for the channels whose bytes are in one register.
  unsigned halves() const { return width > 8 ? 2 : 1; }
};

mlir::Value splatOf(VectorBuilder &build, mlir::Type vectorOfIntegers, int64_t value);
/// Returns the bits of `vector` as elements of `bits` bits.
mlir::Value asElements(VectorBuilder &build, mlir::Value vector, unsigned bits);
mlir::Value extract(VectorBuilder &build, mlir::Value vector, int64_t from, int64_t count);

/// Loads the bytes of `piece`, one for each channel, into a register. The other bytes of the register are undefined. If
/// `inverted`, flips the highest bits. This turns signed bytes into unsigned bytes that are 128 larger, or back.
mlir::Value loadBytes(VectorBuilder &build, mlir::Value buffer, mlir::Value address, Piece piece, bool inverted);

/// Interleaves elements of `bits` bits of `a` and `b`, from the lower or the higher half of each part of 128 bits. The
/// operands and the result are vectors of bytes.
mlir::Value interleave(VectorBuilder &build, mlir::Value a, mlir::Value b, unsigned bits, bool isHigh);

// The joined vectors hold sums in the order of sums. Tensors have the order of channels.

mlir::Value joinVectors(VectorBuilder &build, llvm::ArrayRef<mlir::Value> vectors);
llvm::SmallVector<mlir::Value, 4> splitVectors(VectorBuilder &build, mlir::Value all, const ChannelLayout &layout);
mlir::Value inOrderOfSums(VectorBuilder &build, mlir::Value channels, const ChannelLayout &layout);
mlir::Value inOrderOfChannels(VectorBuilder &build, mlir::Value sums, const ChannelLayout &layout);

/// Narrows i32 sums in the order of sums to bytes in the order of channels, on x86. The sums fit signed or unsigned
/// bytes.
mlir::Value narrowToBytes(VectorBuilder &build, mlir::Value sums, const ChannelLayout &layout, bool isUnsigned);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_CHANNELLAYOUT_H
