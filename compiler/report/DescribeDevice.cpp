// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/report/DescribeDevice.h"

#include "compiler/place/DeviceProfile.h"

namespace nacre {

llvm::Expected<DeviceRoofs> describeDevice(llvm::StringRef device, GpuPrecision precision) {
  llvm::Expected<place::DeviceProfile> profile = place::loadDeviceProfile(device);
  if (!profile)
    return profile.takeError();
  const place::CpuProfile &cpu = profile->cpu;
  const place::GpuProfile &gpu = profile->gpu;
  DeviceRoofs roofs;
  roofs.description = profile->description;
  roofs.threads = cpu.threads;
  // Each thread has its own cache with this rate.
  roofs.cpu = {cpu.flopsPerSecond(cpu.threads), cpu.bytesPerSecond, cpu.cache.bytesPerSecond * cpu.threads,
               cpu.cache.bytes};
  roofs.gpu = {precision == GpuPrecision::F16 ? gpu.fp16FlopsPerSecond : gpu.fp32FlopsPerSecond, gpu.bytesPerSecond,
               gpu.cache.bytesPerSecond, gpu.cache.bytes};
  return roofs;
}

} // namespace nacre
