// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps: 1. a strict reader of JSON objects; 2. the groups of a profile; 3. the shipped profiles. CMakeLists.txt writes
// the text of the shipped profiles to ShippedProfiles.inc.

#include "compiler/place/DeviceProfile.h"

#include "dialects/NestedJson.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace llvm;

namespace nacre::place {

double CpuProfile::flopsPerSecond(unsigned count) const {
  double sum = 0;
  for (const Cluster &cluster : clusters) {
    const unsigned used = std::min(count, cluster.cores);
    sum += used * cluster.gigahertz * 1e9 * cluster.flopsPerCycle;
    count -= used;
  }
  return sum;
}

double CpuProfile::integerRate() const {
  const Cluster &fastest = clusters.front();
  return fastest.integerOpsPerCycle / fastest.flopsPerCycle;
}

double CpuProfile::halfRate() const {
  const Cluster &fastest = clusters.front();
  return std::max(1.0, fastest.halfFlopsPerCycle / fastest.flopsPerCycle);
}

namespace {

//===----------------------------------------------------------------------===//
// 1. Objects
//===----------------------------------------------------------------------===//

/// First problem that is found in a document.
struct Problem {
  std::string text;

  void report(const Twine &message) {
    if (text.empty())
      text = message.str();
  }
};

/// Reads the members of an object. Missing or wrong members are reported, and their values are 0. The destructor
/// reports members that were never read.
class ObjectReader {
public:
  ObjectReader(const json::Object *object, std::string path, Problem &problem)
      : object(object), path(std::move(path)), problem(problem) {}

  ~ObjectReader() {
    if (!object)
      return;
    SmallVector<StringRef> unknown;
    for (const auto &member : *object)
      if (!is_contained(asked, StringRef(member.first)))
        unknown.push_back(member.first);
    llvm::sort(unknown); // The order of members depends on their hashes.
    for (StringRef name : unknown)
      problem.report(at(name) + " is unknown; known are " + join(asked, ", "));
  }

  /// True if the optional member `name` exists.
  bool has(StringRef name) {
    const bool isThere = object && object->get(name);
    if (!isThere)
      asked.push_back(name); // Added here, because the member is not read if it is missing.
    return isThere;
  }

  ObjectReader readObject(StringRef name) {
    const json::Value *value = find(name);
    if (value && !value->getAsObject())
      problem.report(at(name) + " must be an object");
    return {value ? value->getAsObject() : nullptr, at(name), problem};
  }

  std::string readText(StringRef name) {
    const json::Value *value = find(name);
    std::optional<StringRef> text = value ? value->getAsString() : std::nullopt;
    if (value && (!text || text->empty()))
      problem.report(at(name) + " must be a non-empty string");
    return text.value_or("").str();
  }

  /// Reads a number from 1e-6 to 1e9, so that no computation with it overflows. `hint` explains how to add a member
  /// that older files lack.
  double readNumber(StringRef name, StringRef hint = "") {
    const json::Value *value = find(name, hint);
    std::optional<double> number = value ? value->getAsNumber() : std::nullopt;
    if (value && (!number || !(*number >= 1e-6 && *number <= 1e9)))
      problem.report(at(name) + " must be a number from 1e-6 to 1e9");
    return number.value_or(0);
  }

  unsigned readCount(StringRef name) {
    const json::Value *value = find(name);
    std::optional<int64_t> number = value ? value->getAsInteger() : std::nullopt;
    if (value && (!number || *number < 1 || *number > 1024))
      problem.report(at(name) + " must be an integer from 1 to 1024");
    return number.value_or(0);
  }

  bool readBoolean(StringRef name) {
    const json::Value *value = find(name);
    std::optional<bool> boolean = value ? value->getAsBoolean() : std::nullopt;
    if (value && !boolean)
      problem.report(at(name) + " must be true or false");
    return boolean.value_or(false);
  }

  const json::Array *readArray(StringRef name) {
    const json::Value *value = find(name);
    if (value && (!value->getAsArray() || value->getAsArray()->empty()))
      problem.report(at(name) + " must be a non-empty array");
    return value ? value->getAsArray() : nullptr;
  }

  std::string at(const Twine &name) const { return path.empty() ? name.str() : (path + "." + name).str(); }

private:
  const json::Value *find(StringRef name, StringRef hint = "") {
    asked.push_back(name);
    const json::Value *value = object ? object->get(name) : nullptr;
    if (object && !value)
      problem.report(at(name) + " is missing" + hint);
    return value;
  }

  const json::Object *object; // Null if it is missing, which is reported already.
  std::string path;
  Problem &problem;
  SmallVector<StringRef> asked;
};

//===----------------------------------------------------------------------===//
// 2. Groups
//===----------------------------------------------------------------------===//

constexpr double kGiga = 1e9, kKibi = 1024, kMicro = 1e-6;

CpuProfile readCpu(ObjectReader reader, Problem &problem) {
  CpuProfile cpu;
  unsigned cores = 0;
  if (const json::Array *clusters = reader.readArray("clusters"))
    for (auto [index, value] : llvm::enumerate(*clusters)) {
      const std::string path = reader.at("clusters[" + Twine(index) + "]");
      if (!value.getAsObject())
        problem.report(path + " must be an object");
      ObjectReader members(value.getAsObject(), path, problem);
      Cluster cluster;
      cluster.core = members.readText("core");
      cluster.cores = members.readCount("cores");
      cluster.gigahertz = members.readNumber("clock_ghz");
      cluster.flopsPerCycle = members.readNumber("fp32_flops_per_cycle");
      cluster.halfFlopsPerCycle = members.readNumber(
          "fp16_flops_per_cycle",
          "; measure with nacre-tune, or write twice fp32_flops_per_cycle for a core with fp16 arithmetic (fullfp16 of "
          "Armv8.2), else as much as it");
      cluster.integerOpsPerCycle = members.readNumber(
          "int8_ops_per_cycle",
          "; measure with nacre-tune, or write 4 times fp32_flops_per_cycle for cores with dot products, "
          "else as much as it");
      cores += cluster.cores;
      cpu.clusters.push_back(std::move(cluster));
    }
  cpu.threads = reader.readCount("threads");
  if (cpu.threads > cores)
    problem.report(reader.at("threads") + " must be at most the number of cores, " + Twine(cores));
  cpu.bytesPerSecond = reader.readNumber("bandwidth_gbps") * kGiga;
  cpu.coreBytesPerSecond = reader.readNumber("core_bandwidth_gbps") * kGiga;
  cpu.cache.bytes = reader.readNumber("cache_kib") * kKibi;
  cpu.cache.bytesPerSecond = reader.readNumber("core_cache_bandwidth_gbps") * kGiga;
  cpu.launchSeconds = reader.readNumber("launch_us") * kMicro;
  reader.readText("source");
  llvm::stable_sort(cpu.clusters, [](const Cluster &a, const Cluster &b) {
    return a.gigahertz * a.flopsPerCycle > b.gigahertz * b.flopsPerCycle;
  });
  return cpu;
}

GpuProfile readGpu(ObjectReader reader) {
  GpuProfile gpu;
  gpu.fp32FlopsPerSecond = reader.readNumber("fp32_gflops") * kGiga;
  gpu.fp16FlopsPerSecond = reader.readNumber("fp16_gflops") * kGiga;
  gpu.invocations = reader.readNumber("invocations");
  gpu.bytesPerSecond = reader.readNumber("bandwidth_gbps") * kGiga;
  gpu.cache.bytes = reader.readNumber("cache_kib") * kKibi;
  gpu.cache.bytesPerSecond = reader.readNumber("cache_bandwidth_gbps") * kGiga;
  if (reader.has("rates")) {
    ObjectReader rates = reader.readObject("rates");
    gpu.rates = GpuRates{rates.readNumber("streamed_gps") * kGiga, rates.readNumber("depthwise_gps") * kGiga,
                         rates.readNumber("pointwise_gps") * kGiga, rates.readNumber("row_gps") * kGiga,
                         rates.readNumber("movement_gps") * kGiga};
  }
  reader.readText("source");
  return gpu;
}

void readLatency(ObjectReader reader, GpuProfile &gpu) {
  gpu.dispatchSeconds = reader.readNumber("dispatch_us") * kMicro;
  gpu.meetingSeconds = reader.readNumber("meeting_us") * kMicro;
  reader.readText("source");
}

MemoryProfile readMemory(ObjectReader reader) {
  MemoryProfile memory;
  memory.shared = reader.readBoolean("shared");
  memory.bytesPerSecond = reader.readNumber("bandwidth_gbps") * kGiga;
  if (!memory.shared)
    memory.copyBytesPerSecond = reader.readNumber("copy_bandwidth_gbps") * kGiga;
  reader.readText("source");
  return memory;
}

} // namespace

Expected<DeviceProfile> parseDeviceProfile(StringRef json, StringRef where) {
  Expected<json::Value> document = parseJson(json);
  if (!document)
    return createStringError(where + ": " + toString(document.takeError()));
  if (!document->getAsObject())
    return createStringError(where + ": must be a JSON object");
  DeviceProfile profile;
  Problem problem;
  {
    ObjectReader reader(document->getAsObject(), "", problem);
    profile.name = reader.readText("name");
    profile.description = reader.readText("description");
    profile.cpu = readCpu(reader.readObject("cpu"), problem);
    profile.gpu = readGpu(reader.readObject("gpu"));
    readLatency(reader.readObject("latency"), profile.gpu);
    profile.memory = readMemory(reader.readObject("memory"));
  }
  if (!problem.text.empty())
    return createStringError(where + ": " + problem.text);
  return profile;
}

//===----------------------------------------------------------------------===//
// 3. Shipped profiles
//===----------------------------------------------------------------------===//

ArrayRef<ShippedProfile> shippedProfiles() {
  static const ShippedProfile profiles[] = {
#include "compiler/place/ShippedProfiles.inc"
  };
  return profiles;
}

Expected<DeviceProfile> loadDeviceProfile(StringRef nameOrPath) {
  if (nameOrPath.ends_with(".json")) {
    ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(nameOrPath, /*IsText=*/true);
    if (!file)
      return createStringError("cannot read '" + nameOrPath + "': " + file.getError().message());
    return parseDeviceProfile((*file)->getBuffer(), nameOrPath);
  }
  for (const ShippedProfile &shipped : shippedProfiles())
    if (shipped.name == nameOrPath)
      return parseDeviceProfile(shipped.json, shipped.name);
  return createStringError("the device must be a .json file or one of " +
                           join(map_range(shippedProfiles(), [](const ShippedProfile &p) { return p.name; }), ", ") +
                           ", but is '" + nameOrPath + "'");
}

} // namespace nacre::place
