// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  where channels are in registers while their sums are four times as wide as their bytes.
// Why:   x86 interleaves within 128 bits. Sums stay in the order that this gives, and narrowing them undoes it; only what an epilogue
//        reads for each channel is brought into that order, once a row.
// How:   1. the layout; 2. bytes into it; 3. sums and operands out of it and into it.

#ifndef NACRE_CODEGEN_CPU_DEPTHWISE_CHANNELLAYOUT_H
#define NACRE_CODEGEN_CPU_DEPTHWISE_CHANNELLAYOUT_H

#include "codegen/cpu/VectorBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace nacre::codegen::cpu {

/// Neighbouring channels, whose bytes are in one register and whose sums of i32 are in up to four. In each part of 128 bits the
/// first of these has four channels, the next one the four after them. `isExtended`: bytes of 128 bits, and sums of 256 bits, in the
/// order of channels.
struct ChannelLayout {
  unsigned width = 1; ///< Channels: a power of two.
  bool isExtended = false;

  unsigned segments() const { return width > 16 ? width / 16 : 1; }  ///< Parts of 128 bits.
  unsigned bytes() const { return 16 * segments(); }                 ///< Of a register.
  unsigned lanes() const { return isExtended ? 8 : 4 * segments(); } ///< Of a register of sums.
  unsigned vectors() const { return width > 16 ? 4 : llvm::divideCeil(width, lanes()); }
  unsigned sums() const { return vectors() * lanes(); } ///< In them; more than channels, if these are few.
  unsigned halves() const {
    return width > 8 ? 2 : 1;
  } ///< Registers of 16 bits for each channel, bytes of which are one.
};

mlir::Value splatOf(VectorBuilder &build, mlir::Type vectorOfIntegers, int64_t value);
/// The same bits as elements of so many.
mlir::Value asElements(VectorBuilder &build, mlir::Value vector, unsigned bits);
mlir::Value extract(VectorBuilder &build, mlir::Value vector, int64_t from, int64_t count);

/// The bytes of `piece`, one for each channel, in a register; anything behind them. `inverted`: with the other highest bits, by which
/// signed bytes are moved by 128 to unsigned ones, or back.
mlir::Value loadBytes(VectorBuilder &build, mlir::Value buffer, mlir::Value address, Piece piece, bool inverted);

/// Elements of `bits` of a and b in turn, of the lower or the higher half of each part of 128 bits. The operands are bytes, and so
/// is the result.
mlir::Value interleave(VectorBuilder &build, mlir::Value a, mlir::Value b, unsigned bits, bool isHigh);

// Sums of all vectors one after another are in the order of sums; as a tensor has them, in the order of channels.

mlir::Value joinVectors(VectorBuilder &build, llvm::ArrayRef<mlir::Value> vectors);
llvm::SmallVector<mlir::Value, 4> splitVectors(VectorBuilder &build, mlir::Value all, const ChannelLayout &layout);
mlir::Value inOrderOfSums(VectorBuilder &build, mlir::Value channels, const ChannelLayout &layout);
mlir::Value inOrderOfChannels(VectorBuilder &build, mlir::Value sums, const ChannelLayout &layout);

/// Where integers are known to be.
enum class ByteRange : uint8_t { Unknown, Signed, Unsigned };

/// Of sums of i32 in their order, the lowest bytes in the order of channels.
mlir::Value narrowToBytes(VectorBuilder &build, mlir::Value sums, const ChannelLayout &layout, ByteRange range);

} // namespace nacre::codegen::cpu

#endif // NACRE_CODEGEN_CPU_DEPTHWISE_CHANNELLAYOUT_H
