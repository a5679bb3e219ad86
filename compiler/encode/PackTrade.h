// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether one launch packs an operand into panels, or each unit packs the columns that it needs.
// Why: units that pack read all rows once for every panel, and repeat the packing in each iteration of a loop. A launch
//      reads and writes the whole operand once more.
// How: compares the nanoseconds of both, estimated from bytes.

#ifndef NACRE_COMPILER_ENCODE_PACKTRADE_H
#define NACRE_COMPILER_ENCODE_PACKTRADE_H

#include "codegen/MachineModel.h"
#include <cstdint>

namespace nacre::encode {

struct PackTrade {
  int64_t operandBytes = 0; ///< Size of the operand to pack in bytes.
  int64_t panels = 1;       ///< Number of panels of the operand.
  int64_t rows = 1;         ///< Number of rows of the left operand in each batch or group.
  int64_t rowBytes = 0;     ///< Size of these rows in bytes.
  int64_t iterations = 1;   ///< Number of launches that read the panels of one pack launch.
  bool isAcross = false;    ///< True if the columns of the operand are not contiguous.
  bool replaces = false;    ///< True if this launch replaces a launch that only moves the same elements.
  double gained = 0;        ///< Nanoseconds that a launch saves because only panels allow Winograd.
};

bool isWorthALaunch(const PackTrade &trade, const codegen::MachineModel &model);

} // namespace nacre::encode

#endif // NACRE_COMPILER_ENCODE_PACKTRADE_H
