// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the place phase.

#include "compiler/place/DeviceProfile.h"
#include "compiler/place/Passes.h"

#include "mlir/Pass/PassManager.h"

namespace nacre::place {

void buildPipeline(mlir::OpPassManager &pm, const Options &options) {
  PlaceKernelsPassOptions placing;
  placing.engines = options.placement.engines;
  placing.percent = options.placement.percent;
  placing.device = options.device;
  placing.precision = options.gpuPrecision;
  pm.addPass(createPlaceKernelsPass(placing));
}

llvm::SmallVector<std::pair<std::string, std::string>> describeShippedProfiles() {
  llvm::SmallVector<std::pair<std::string, std::string>> rows;
  for (const ShippedProfile &shipped : shippedProfiles())
    rows.emplace_back(shipped.name, llvm::cantFail(parseDeviceProfile(shipped.json, shipped.name)).description);
  return rows;
}

llvm::Error checkDevice(llvm::StringRef device) { return loadDeviceProfile(device).takeError(); }

} // namespace nacre::place
