// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs and times compute shaders through Vulkan, as a script on its standard input says.
//
// Why: kernels are measured by themselves and alternately with their rivals; gpu_kernels.py has the rivals, this the
//      GPU. It needs nothing of ours but the shaders, so it runs where nothing can be built.
// How: Vulkan is the tests' (test/vulkan). Operands have places that all kernels share. One command a line, one line of
//      answer: "ok" and numbers, or "error" and the reason, which ends the program.
//
//        place BYTES...                 room for the operands, by number; once, first
//        kernel NAME FILE GROUPS ROWS EXTENT OPERAND...   a pipeline, whose bindings are these operands; ms to make it
//        data OPERAND FILE              the operand's bytes from a file
//        run NAME OPERAND BYTES FILE    one launch on a poisoned OPERAND; its bytes to a file
//        time NAME SECONDS              launches one after the other for about so long; ms of each

#include "test/vulkan/Device.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>

using namespace nacre::test::vulkan;

void nacre::test::vulkan::fail(const std::string &reason) {
  std::cout << "error " << reason << "\n" << std::flush;
  exit(1);
}

namespace {

struct Kernel {
  Pipeline pipeline;
  VkDescriptorSet set;
  uint32_t groups, rows;
  int32_t extent;
};

class Bench {
public:
  Bench() {
    if (std::string why; !open(device, why))
      fail(why);
    commands = makeCommands(device);
    auto queries = make<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = 2;
    NACRE_TEST_VULKAN(CreateQueryPool, device.handle, &queries, nullptr, &stamps);
    sets = makeDescriptorPool(device, 2048, 8192);
  }

  std::string deviceName() const { return device.properties.deviceName; }
  uint32_t sharedBytes() const { return device.properties.limits.maxComputeSharedMemorySize; }

  void place(const std::vector<size_t> &bytes) {
    size_t end = 0;
    for (size_t size : bytes) {
      offsets.push_back(end);
      sizes.push_back((size + 255) / 256 * 256);
      end += sizes.back();
    }
    arena = makeBuffer(device, end, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    staging = makeBuffer(device, *std::max_element(sizes.begin(), sizes.end()),
                         kVisible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kVisible);
    mapped = map(device, staging);
  }

  double addKernel(const std::string &name, const std::string &file, uint32_t groups, uint32_t rows, int32_t extent,
                   const std::vector<uint32_t> &operands) {
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> code((std::istreambuf_iterator<char>(stream)), {});
    if (code.empty())
      fail("cannot read " + file);
    const auto begin = std::chrono::steady_clock::now();
    Kernel kernel = {};
    kernel.pipeline = makePipeline(device, reinterpret_cast<const uint32_t *>(code.data()), code.size(),
                                   uint32_t(operands.size()), 2);
    std::vector<VkDescriptorBufferInfo> parts;
    for (uint32_t operand : operands) {
      checkOperand(operand);
      parts.push_back({arena.buffer, offsets[operand], sizes[operand]});
    }
    kernel.set = makeSet(device, sets, kernel.pipeline, parts);
    kernel.groups = groups;
    kernel.rows = rows;
    kernel.extent = extent;
    kernels[name] = kernel;
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }

  void data(size_t operand, const std::string &file) {
    checkOperand(operand);
    std::ifstream stream(file, std::ios::binary);
    stream.read(mapped, sizes[operand]);
    const size_t bytes = stream.gcount();
    if (bytes == 0)
      fail("cannot read " + file);
    begin(commands);
    const VkBufferCopy all = {0, offsets[operand], bytes};
    vk.CmdCopyBuffer(commands, staging.buffer, arena.buffer, 1, &all);
    submit(device, commands);
  }

  void run(const std::string &name, size_t operand, size_t bytes, const std::string &file) {
    const Kernel &kernel = kernelOf(name);
    checkOperand(operand);
    begin(commands);
    vk.CmdFillBuffer(commands, arena.buffer, offsets[operand], sizes[operand], 0x7fc07e00); // Not a number.
    wait(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    bind(commands, kernel.pipeline, kernel.set, {0, kernel.extent});
    vk.CmdDispatch(commands, kernel.groups, kernel.rows, 1);
    wait(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
    const VkBufferCopy all = {offsets[operand], 0, bytes};
    vk.CmdCopyBuffer(commands, arena.buffer, staging.buffer, 1, &all);
    wait(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT);
    submit(device, commands);
    std::ofstream(file, std::ios::binary).write(mapped, bytes);
  }

  double time(const std::string &name, double seconds) {
    const Kernel &kernel = kernelOf(name);
    const double first = timeLaunches(kernel, 3);
    const int launches = std::clamp(int(seconds * 1e3 / std::max(first, 1e-4)), 1, 2000);
    timeLaunches(kernel, launches); // Whoever had the device before may have left it hot, or with other clocks.
    return timeLaunches(kernel, launches);
  }

private:
  const Kernel &kernelOf(const std::string &name) const {
    const auto found = kernels.find(name);
    if (found == kernels.end())
      fail("there is no kernel " + name);
    return found->second;
  }

  void checkOperand(size_t operand) const {
    if (operand >= offsets.size())
      fail("there is no place for operand " + std::to_string(operand));
  }

  /// Times launches with the barrier after each that the runtime puts between launches that depend on one another: it
  /// names what only shaders do, which takes this driver 2 microseconds less than any access to memory does.
  double timeLaunches(const Kernel &kernel, int launches) {
    constexpr VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    auto written = make<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    written.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    written.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    auto launch = [&] {
      vk.CmdDispatch(commands, kernel.groups, kernel.rows, 1);
      vk.CmdPipelineBarrier(commands, compute, compute, 0, 1, &written, 0, nullptr, 0, nullptr);
    };
    begin(commands);
    vk.CmdResetQueryPool(commands, stamps, 0, 2);
    bind(commands, kernel.pipeline, kernel.set, {0, kernel.extent});
    launch();
    vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, stamps, 0);
    for (int i = 0; i < launches; ++i)
      launch();
    vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, stamps, 1);
    submit(device, commands);
    uint64_t ticks[2];
    NACRE_TEST_VULKAN(GetQueryPoolResults, device.handle, stamps, 0, 2, sizeof ticks, ticks, sizeof ticks[0],
                      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    return double(ticks[1] - ticks[0]) * device.properties.limits.timestampPeriod * 1e-6 / launches;
  }

  Device device;
  VkCommandBuffer commands;
  VkQueryPool stamps;
  VkDescriptorPool sets;
  Buffer arena, staging;
  char *mapped = nullptr;
  std::vector<size_t> offsets, sizes; // Of operands.
  std::map<std::string, Kernel> kernels;
};

template <typename T> T read(std::istream &line) {
  T value;
  if (!(line >> value))
    fail("the command lacks something, or has a wrong number");
  return value;
}

template <typename T> std::vector<T> readAll(std::istream &line) {
  return {std::istream_iterator<T>(line), std::istream_iterator<T>()};
}

std::string obey(Bench &bench, const std::string &text) {
  std::istringstream line(text);
  const auto command = read<std::string>(line);
  if (command == "place") {
    bench.place(readAll<size_t>(line));
    return "";
  }
  if (command == "data") {
    const auto operand = read<size_t>(line);
    bench.data(operand, read<std::string>(line));
    return "";
  }
  const auto name = read<std::string>(line);
  if (command == "kernel") {
    const auto file = read<std::string>(line);
    const auto groups = read<uint32_t>(line), rows = read<uint32_t>(line);
    const auto extent = read<int32_t>(line);
    return std::to_string(bench.addKernel(name, file, groups, rows, extent, readAll<uint32_t>(line)));
  }
  if (command == "run") {
    const auto operand = read<size_t>(line), bytes = read<size_t>(line);
    bench.run(name, operand, bytes, read<std::string>(line));
    return "";
  }
  if (command == "time")
    return std::to_string(bench.time(name, read<double>(line)));
  fail("there is no such command");
}

} // namespace

int main() {
  Bench bench;
  std::cout << "ok " << bench.sharedBytes() << " " << bench.deviceName() << "\n" << std::flush;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string answer = obey(bench, line);
    std::cout << "ok " << answer << "\n" << std::flush;
  }
  return 0;
}
