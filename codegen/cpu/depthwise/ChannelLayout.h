// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the order of channels in registers while their sums are four times as wide as their bytes.
// Why:   x86 interleaves within 128 bits. Sums stay in the resulting order, and narrowing them restores the order of
//        channels. Only the inputs that an epilogue reads for each channel must be reordered, once for each row.
// How:   1. the layout; 2. bytes into it; 3. sums and operands out of it and into it.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_CHANNELLAYOUT_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_CHANNELLAYOUT_H

#include "codegen/cpu/VectorBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::codegen::cpu {

/// Neighbouring channels, whose bytes are in one register and whose sums of i32 are in up to four registers. In each
/// part of 128 bits, the first of these has four channels, and the next one the four channels after them. If
/// `isExtended`, bytes of 128 bits have sums of 256 bits, in the order of channels.
struct ChannelLayout {
  unsigned width = 1; ///< Channels: a power of two
  bool isExtended = false;

  unsigned segments() const { return width > 16 ? width / 16 : 1; }  ///< Parts of 128 bits
  unsigned bytes() const { return 16 * segments(); }                 ///< Bytes of a register
  unsigned lanes() const { return isExtended ? 8 : 4 * segments(); } ///< Sums in a register
  unsigned vectors() const { return width > 16 ? 4 : llvm::divideCeil(width, lanes()); }
  /// Sums in all vectors; more than channels if there are few channels.
  unsigned sums() const { return vectors() * lanes(); }
  /// Registers of 16-bit values for the channels whose bytes are in one register.
  unsigned halves() const { return width > 8 ? 2 : 1; }
};

mlir::Value splatOf(VectorBuilder &build, mlir::Type vectorOfIntegers, int64_t value);
/// Returns the same bits as elements of `bits` bits.
mlir::Value asElements(VectorBuilder &build, mlir::Value vector, unsigned bits);
mlir::Value extract(VectorBuilder &build, mlir::Value vector, int64_t from, int64_t count);

/// Loads the bytes of `piece`, one for each channel, into a register, whose other bytes are undefined. If `inverted`,
/// flips the highest bits, which moves signed bytes by 128 to unsigned ones, or back.
mlir::Value loadBytes(VectorBuilder &build, mlir::Value buffer, mlir::Value address, Piece piece, bool inverted);

/// Interleaves elements of `bits` bits of a and b, from the lower or the higher half of each part of 128 bits. The
/// operands and the result are vectors of bytes.
mlir::Value interleave(VectorBuilder &build, mlir::Value a, mlir::Value b, unsigned bits, bool isHigh);

// The vectors one after another hold sums in the order of sums; tensors have the order of channels.

mlir::Value joinVectors(VectorBuilder &build, llvm::ArrayRef<mlir::Value> vectors);
llvm::SmallVector<mlir::Value, 4> splitVectors(VectorBuilder &build, mlir::Value all, const ChannelLayout &layout);
mlir::Value inOrderOfSums(VectorBuilder &build, mlir::Value channels, const ChannelLayout &layout);
mlir::Value inOrderOfChannels(VectorBuilder &build, mlir::Value sums, const ChannelLayout &layout);

/// Known range of integers.
enum class ByteRange : uint8_t { Unknown, Signed, Unsigned };

/// Narrows sums of i32 in their order to their lowest bytes in the order of channels.
mlir::Value narrowToBytes(VectorBuilder &build, mlir::Value sums, const ChannelLayout &layout, ByteRange range);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_CHANNELLAYOUT_H
