// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: the most that a device's engines can do, as its profile says, for the report.

#ifndef NACRE_COMPILER_DESCRIBEDEVICE_H
#define NACRE_COMPILER_DESCRIBEDEVICE_H

#include "compiler/CompileReport.h"

#include "llvm/Support/Error.h"

namespace nacre {

/// Of a shipped profile or a file, as `--device` names it; the GPU's for values of this precision.
llvm::Expected<DeviceRoofs> describeDevice(llvm::StringRef device, GpuPrecision precision);

} // namespace nacre

#endif // NACRE_COMPILER_DESCRIBEDEVICE_H
