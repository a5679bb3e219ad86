// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nearly all values are in the normal range of the target format, so bit operations round them. Functions of the format
// encode all other values.

#include "compiler/encode/WeightRounding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cassert>

namespace nacre::encode {

// Constants of the f32 format.
static constexpr int kMantissaBits = 23, kBias = 127;
static constexpr uint32_t kSign = 0x80000000;

WeightRounding::WeightRounding(const nn::FloatFormat &format)
    : format(format), droppedBits(kMantissaBits - format.mantissaBits),
      biasDifference(uint32_t(kBias - format.bias) << kMantissaBits) {
  assert(format.sign == 0x8000 && format.hasInfinity && "is a float of 16 bits, as IEEE 754 has them");
  firstNormal = biasDifference + (uint32_t(1) << kMantissaBits);
  firstBeyond = biasDifference + (uint32_t(format.overflow) << droppedBits);
}

void WeightRounding::round(llvm::ArrayRef<float> numbers, llvm::MutableArrayRef<uint16_t> codes) {
  const uint32_t belowHalf = (uint32_t(1) << (droppedBits - 1)) - 1;
  for (auto [number, code] : llvm::zip_equal(numbers, codes)) {
    const uint32_t bits = llvm::bit_cast<uint32_t>(number), magnitude = bits & ~kSign;
    const bool isNormal = magnitude >= firstNormal && magnitude < firstBeyond;
    double rounded;
    if (isNormal) {
      // Rounds half to even. A carry correctly increments the exponent.
      const uint32_t kept = (magnitude + belowHalf + (magnitude >> droppedBits & 1)) >> droppedBits << droppedBits;
      code = uint16_t((kept - biasDifference) >> droppedBits | (bits & kSign) >> 16);
      rounded = llvm::bit_cast<float>(kept);
    } else {
      code = uint16_t(nn::encode(format, number, /*saturates=*/false));
      rounded = std::fabs(nn::decode(format, code));
    }
    if (!std::isfinite(number))
      continue;
    if ((code & ~format.sign) == format.overflow) {
      beyond = beyond == 0 ? number : beyond;
      continue;
    }
    const double exact = std::fabs(double(number)), error = std::fabs(rounded - exact);
    errors += error * error;
    squares += exact * exact;
    if (isNormal && error > largest * exact)
      largest = error / exact;
  }
}

double WeightRounding::relativeError() const { return squares > 0 ? std::sqrt(errors / squares) : 0; }

bool WeightRounding::keepsDigits() const { return relativeError() <= std::ldexp(1.0, -format.mantissaBits - 1); }

} // namespace nacre::encode
