// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints one fact on each line; sizes are in bytes.

#include "tools/run/Info.h"
#include "dialects/Count.h"
#include "runtime/inspect/devices.h"
#include "tools/run/InfoFile.h"
#include "tools/run/session/Answers.h"
#include "tools/run/session/Text.h"

#include <cstdio>

namespace nacre::run {
namespace {

void printBytes(const char *what, unsigned long long bytes) { std::printf("  %-10s %llu\n", what, bytes); }

/// Prints the quantization on the line after the tensor's. Prints nothing for floats and for integers that are not
/// quantized.
void printQuantization(const Quantization &quantization) {
  if (quantization.isIdentity())
    return;
  if (quantization.channels.empty()) {
    std::printf("    scale %s, zero point %d\n", exactText(quantization.scale).c_str(), quantization.zeroPoint);
    return;
  }
  std::string scales, zeroPoints;
  for (const nacre_channel_info &channel : quantization.channels) {
    scales += " " + exactText(channel.scale);
    zeroPoints += " " + std::to_string(channel.zero_point);
  }
  std::printf("    along axis %u: scales%s, zero points%s\n", quantization.channelAxis, scales.c_str(),
              zeroPoints.c_str());
}

void printPorts(const char *what, const std::vector<Port> &ports) {
  std::printf("%s\n", what);
  for (const Port &port : ports) {
    std::printf("  %s %s\n", printableText(port.name).c_str(),
                describe(port.tensor.type, port.tensor.dims, port.openAxes).c_str());
    printQuantization(port.quantization);
  }
}

} // namespace

Outcome printInfo(const ModelSession &session, const std::string &symbol, size_t codeBytes, const std::string &file) {
  std::printf("model     %s (symbol %s)\ncompiler  %s\ntarget    %s\nentry     %s (%u of %u)\n", session.info.name,
              symbol.c_str(), session.info.compiler, session.info.target, session.entryInfo.name, session.entry + 1,
              session.info.entry_count);
  printPorts("inputs", session.inputs);
  printPorts("outputs", session.outputs);
  if (!session.states.empty())
    printPorts("state", session.states);
  std::printf("bytes, with %s\n", describeCount(session.memory.threads, "thread").c_str());
  printBytes("weights", session.info.weight_bytes);
  printBytes("code", codeBytes);
  printBytes("block", session.memory.block_bytes);
  printBytes("  arena", session.memory.arena_bytes);
  printBytes("  inputs", session.memory.input_bytes);
  printBytes("  outputs", session.memory.output_bytes);
  printBytes("  state", session.memory.state_bytes);
  printBytes("  scratch", session.memory.scratch_bytes);
  nacre_session_info engines;
  if (Outcome failure = session.describe(engines))
    return failure;
  if (engines.device[0])
    printBytes("gpu", engines.gpu_bytes);
  std::printf("%s of %s\n", describeCount(session.entryInfo.launch_count, "launch").c_str(),
              describeCount(session.info.kernel_count, "kernel").c_str());
  std::vector<nacre_launch_info> launches(session.entryInfo.launch_count);
  for (uint32_t i = 0; i < launches.size(); ++i) {
    nacre_launch_info &launch = launches[i];
    if (nacre_launch_describe(session.model, session.entry, i, &launch) != NACRE_OK)
      return Failure{ExitCode::Refused, "launch " + std::to_string(i) + " has no description"};
    std::printf("  %-12s %-24s %s\n", launch.kind, launch.kernel, launch.name);
  }
  return file.empty() ? std::nullopt : writeJson(file, infoJson(session, engines, launches, symbol, codeBytes));
}

Outcome printDevices() {
  nacre_device_info device;
  for (uint32_t i = 0;; ++i) {
    const nacre_status status = nacre_inspect_device(i, &device);
    if (status == NACRE_OK)
      std::printf("%u: %s\n   %s\n", i, device.name, device.report);
    else if (i == 0)
      return Failure{ExitCode::Refused, device.report};
    else
      return status == NACRE_BAD_ARGUMENT ? std::nullopt : Outcome(Failure{ExitCode::Refused, device.report});
  }
}

} // namespace nacre::run
