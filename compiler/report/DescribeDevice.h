// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the peak rates of a device's engines from its profile, for the report.

#ifndef NACRE_COMPILER_REPORT_DESCRIBEDEVICE_H
#define NACRE_COMPILER_REPORT_DESCRIBEDEVICE_H

#include "compiler/report/CompileReport.h"

#include "llvm/Support/Error.h"

namespace nacre {

/// Returns the peak rates of the shipped profile or profile file `device`. `precision` is the precision of the GPU.
llvm::Expected<DeviceRoofs> describeDevice(llvm::StringRef device, GpuPrecision precision);

} // namespace nacre

#endif // NACRE_COMPILER_REPORT_DESCRIBEDEVICE_H
