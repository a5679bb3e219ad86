// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  whether an operand that is no weight is put into panels by a launch of its own, or by each unit that multiplies by it.
// Why:   a unit that packs takes all rows, which then come from a larger cache once for every panel, and packs what the last iteration of
//        a loop packed; a launch reads and writes the operand once more.
// How:   nanoseconds of both, by bytes.

#ifndef NACRE_COMPILER_ENCODE_PACKTRADE_H
#define NACRE_COMPILER_ENCODE_PACKTRADE_H

#include "codegen/MachineModel.h"
#include <cstdint>

namespace nacre::encode {

struct PackTrade {
  int64_t operandBytes = 0; ///< What is packed,
  int64_t panels = 1;       ///< into so many panels.
  int64_t rows = 1;         ///< Of the left operand, of each batch or group,
  int64_t rowBytes = 0;     ///< and what they take.
  int64_t iterations = 1;   ///< Launches that read what one launch packed.
  bool isAcross = false;    ///< Columns do not lie side by side.
  bool replaces = false;    ///< A launch that moves the same elements goes.
  double gained = 0;        ///< Nanoseconds of a launch, because of what only panels are read by: Winograd.
};

bool isWorthALaunch(const PackTrade &trade, const codegen::MachineModel &model);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PACKTRADE_H
