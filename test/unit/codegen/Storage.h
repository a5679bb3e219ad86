// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  an operand of a kernel under test: bytes with a guard on both sides.

#ifndef NACRE_TEST_UNIT_CODEGEN_STORAGE_H
#define NACRE_TEST_UNIT_CODEGEN_STORAGE_H

#include "dialects/StoredBytes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace nacre::codegen {

inline constexpr size_t kGuard = 128;

/// A storage with bytes around it that no kernel may touch.
struct Storage {
  mlir::Type elementType;
  size_t bytes;
  std::vector<char> memory;

  explicit Storage(mlir::RankedTensorType type)
      : elementType(type.getElementType()), bytes(storedBytes(type)), memory(bytes + 2 * kGuard, char(0xa5)) {}
  char *data() { return memory.data() + kGuard; }
  int64_t size() const { return bytes * 8 / elementType.getIntOrFloatBitWidth(); }

  void fill(std::mt19937 &random) {
    std::uniform_real_distribution<double> real(-1, 1);
    // Of bytes the extremes count: their products are the largest. An eighth are -128.
    const bool isByte = elementType.isInteger(8);
    std::uniform_int_distribution<int> integer(isByte ? -164 : -4, isByte ? 127 : 4);
    for (int64_t i = 0; i < size(); ++i) {
      const int number = std::max(integer(random), -128);
      set(i, llvm::isa<mlir::FloatType>(elementType) ? real(random) : number);
    }
  }

  void set(int64_t i, double number) {
    const int64_t width = bytesOfElement(elementType);
    llvm::APInt bits;
    if (auto type = llvm::dyn_cast<mlir::FloatType>(elementType)) {
      llvm::APFloat value(number);
      bool loses;
      value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
      bits = value.bitcastToAPInt();
    } else {
      bits = llvm::APInt(width * 8, int64_t(number), /*isSigned=*/true);
    }
    memcpy(data() + i * width, bits.getRawData(), width);
  }

  /// Makes every element from `first` on a NaN; elements must be floats.
  void setNans(int64_t first) {
    const int64_t begin = first * bytesOfElement(elementType);
    memset(data() + begin, 0xff, bytes - begin);
  }

  bool hasNan() {
    for (int64_t i = 0; i < size(); ++i)
      if (at(i) != at(i))
        return true;
    return false;
  }

  /// Both guards, one after the other.
  std::string guards() { return std::string(memory.data(), kGuard) + std::string(data() + bytes, kGuard); }

  double at(int64_t i) {
    const int64_t width = bytesOfElement(elementType);
    uint64_t raw = 0;
    memcpy(&raw, data() + i * width, width);
    llvm::APInt bits(width * 8, raw);
    if (auto type = llvm::dyn_cast<mlir::FloatType>(elementType))
      return llvm::APFloat(type.getFloatSemantics(), bits).convertToDouble();
    return double(bits.getSExtValue());
  }
};

} // namespace nacre::codegen

#endif // NACRE_TEST_UNIT_CODEGEN_STORAGE_H
