// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  turns --target= and --cpu= into targets.
// Why:   see Target.h.
// How:   1. find the operating system in a table;
//        2. ask LLVM for a CPU's features, or this machine for `native`, and keep those that the runtime can check. A
//           phone's chip has the features that all of its cores have (Chips.h);
//        3. choose the best base architecture that the CPU supports;
//        4. add the remaining features, and choose a scheduling model.

#include "codegen/Target.h"
#include "codegen/Chips.h"
#include "codegen/TargetNames.h"

#include "runtime/include/nacre/model_format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <algorithm>

using namespace llvm;

namespace nacre::codegen {
namespace {

//===----------------------------------------------------------------------===//
// 1. Operating systems
//===----------------------------------------------------------------------===//

struct System {
  StringLiteral name;
  StringLiteral triple;
  StringLiteral cpus; // Default of --cpu=.
  bool mayPlayGpu;    // See Target::mayPlayGpu.
};

constexpr System kSystems[] = {
    {"linux-x86_64", "x86_64-unknown-linux-gnu", "x86-64-v3", true},
    {"linux-arm64", "aarch64-unknown-linux-gnu", "generic", true},
    {"android-arm64", "aarch64-unknown-linux-android24", "generic", false},
    // The CPU of an emulator may lack AVX, and so do the slowest Chromebooks. Android only guarantees SSE4.2 and
    // POPCNT.
    {"android-x86_64", "x86_64-unknown-linux-android24", "x86-64-v3,x86-64-v2", false},
};

StringRef hostName() { return Triple(sys::getProcessTriple()).isAArch64() ? "linux-arm64" : "linux-x86_64"; }

/// Returns the system that is called `name`, or null.
const System *findSystem(StringRef name) {
  const auto *system =
      find_if(kSystems, [&](const System &known) { return known.name == (name == "host" ? hostName() : name); });
  return system == std::end(kSystems) ? nullptr : system;
}

//===----------------------------------------------------------------------===//
// 2. Features
//===----------------------------------------------------------------------===//

/// A bit that the runtime checks, and LLVM's names of the features that the bit implies.
struct Feature {
  nacre_cpu_bit bit;
  StringLiteral names;
};

constexpr Feature kX86Features[] = {
    {NACRE_X86_64_V2, "sse4.2,ssse3,popcnt"},
    {NACRE_X86_64_V3, "avx2,fma,f16c,bmi,bmi2,lzcnt,movbe"},
    {NACRE_X86_64_V4, "avx512f,avx512bw,avx512cd,avx512dq,avx512vl"},
    {NACRE_X86_AVX_VNNI, "avxvnni"},
    {NACRE_X86_AVX512_VNNI, "avx512vnni"},
    {NACRE_X86_AVX512_BF16, "avx512bf16"},
    {NACRE_X86_AVX512_FP16, "avx512fp16"},
    {NACRE_X86_AVX512_VBMI, "avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,gfni"},
    {NACRE_X86_AMX_INT8, "amx-tile,amx-int8"},
    {NACRE_X86_AMX_BF16, "amx-tile,amx-bf16"},
};

// SVE is absent, because the emitters use NEON.
constexpr Feature kArm64Features[] = {
    {NACRE_ARM64_NEON, "neon"},       {NACRE_ARM64_FP16, "fullfp16"}, {NACRE_ARM64_FP16FML, "fp16fml"},
    {NACRE_ARM64_DOTPROD, "dotprod"}, {NACRE_ARM64_I8MM, "i8mm"},     {NACRE_ARM64_BF16, "bf16"},
    {NACRE_ARM64_LSE, "lse"},         {NACRE_ARM64_RDM, "rdm"},
};

Expected<StringSet<>> featuresOf(StringRef cpu, bool arm64) {
  StringSet<> features;
  if (cpu == "native") {
    for (const auto &feature : sys::getHostCPUFeatures())
      if (feature.second)
        features.insert(feature.first());
    // Every arm64 Linux has NEON. LLVM reads /proc/cpuinfo, which may be missing, or may describe an emulator's host.
    if (arm64)
      features.insert("neon");
    return features;
  }
  if (arm64) {
    if (const Chip *chip = findChip(cpu)) {
      for (const std::string &name : featuresOf(*chip))
        features.insert(name);
      return features;
    }
    features.insert_range(featuresOfCore(cpu));
    if (features.empty())
      return createStringError("cpu must be a phone's chip or an arm64 CPU that LLVM knows, but is '%s'",
                               cpu.str().c_str());
    return features;
  }
  SmallVector<StringRef> known, names;
  X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  if (!is_contained(known, cpu))
    return createStringError("cpu must be an x86-64 CPU that LLVM knows, but is '%s'", cpu.str().c_str());
  X86::getFeaturesForCPU(cpu, names);
  StringMap<bool> implied;
  for (StringRef name : names)
    X86::updateImpliedFeatures(name, /*Enabled=*/true, implied);
  for (const auto &feature : implied)
    features.insert(feature.first());
  features.insert_range(names);
  return features;
}

bool hasAll(const StringSet<> &features, StringRef names) {
  return all_of(split(names, ','), [&](StringRef name) { return features.contains(name); });
}

//===----------------------------------------------------------------------===//
// 3. Base architectures
//===----------------------------------------------------------------------===//

/// Properties of code for CPUs that have the features of `bit`.
struct Base {
  StringLiteral cpu; // LLVM's name.
  nacre_cpu_bit bit;
  VectorUnit vectors;
  MachineModel model; // Figures of the CPU's out-of-order cores.
};

using Masks = VectorUnit::Masks;

/// Base architectures, the best first. The last one is the minimum that the compiler supports.
constexpr Base kX86Bases[] = {
    {"x86-64-v4", NACRE_X86_64_V4, {32, 64, Masks::All, 4, true, true}, kX86V4},
    {"x86-64-v3", NACRE_X86_64_V3, {16, 32, Masks::Loads, 2, true, true}, kX86V3},
    {"x86-64-v2", NACRE_X86_64_V2, {16, 16, Masks::None, 2, false, false}, kX86V2},
};
constexpr Base kArm64Bases[] = {
    {"generic", NACRE_ARM64_NEON, {32, 16, Masks::None, 2, true, true}, kBigArm64},
};

//===----------------------------------------------------------------------===//
// 4. Targets
//===----------------------------------------------------------------------===//

/// Returns the CPU whose scheduling model suits `cpu`. For the listed big cores, LLVM uses the model of a core of 2015
/// that issues one multiply-add per cycle. Neoverse N1 is the server variant of Cortex-A76, so its model is better.
/// LLVM's model of the A53 waits ten cycles for each multiply-add, but the core does not.
StringRef tunedAs(StringRef cpu) {
  return StringSwitch<StringRef>(cpu)
      .Case("cortex-a53", "cortex-a55")
      .Cases({"generic", "cortex-a72", "cortex-a73", "cortex-a75", "cortex-a76", "cortex-a77", "cortex-a78"},
             "neoverse-n1")
      .Default(cpu);
}

bool isLittle(StringRef cpu) {
  return StringSwitch<bool>(cpu)
      .Cases({"cortex-a34", "cortex-a35", "cortex-a53", "cortex-a55", "cortex-a510", "cortex-a520"}, true)
      .Default(false);
}

Expected<Target> makeTarget(const System &system, StringRef cpu) {
  const bool arm64 = Triple(system.triple).isAArch64();
  Expected<StringSet<>> features = featuresOf(cpu, arm64);
  if (!features)
    return features.takeError();

  Target target;
  target.name = system.name.str();
  target.triple = system.triple.str();
  target.mayPlayGpu = system.mayPlayGpu;
  target.arm64 = arm64;
  SmallVector<std::string> extra;
  for (const Feature &feature : arm64 ? ArrayRef(kArm64Features) : ArrayRef(kX86Features)) {
    if (!hasAll(*features, feature.names))
      continue;
    target.needs |= NACRE_CPU_NEED(feature.bit);
    for (StringRef name : split(feature.names, ','))
      extra.push_back(("+" + name).str());
  }
  target.features = join(extra, ",");

  if (cpu == "native")
    cpu = sys::getHostCPUName();
  if (const Chip *chip = arm64 ? findChip(cpu) : nullptr)
    cpu = chip->clusters().front().core; // Tune for the big cores, which do most of a model's work.
  const ArrayRef<Base> bases = arm64 ? ArrayRef(kArm64Bases) : ArrayRef(kX86Bases);
  const auto *base = find_if(bases, [&](const Base &base) { return target.needs & NACRE_CPU_NEED(base.bit); });
  if (base == bases.end() || !(target.needs & NACRE_CPU_NEED(bases.back().bit)))
    return createStringError("cpu must have %s, but '%s' does not", arm64 ? "NEON" : "SSE4.2", cpu.str().c_str());
  target.cpu = base->cpu.str();
  target.vectors = base->vectors;
  target.tuneCpu = tunedAs(cpu).str();
  target.inOrder = isLittle(cpu);
  target.model = target.inOrder ? kLittleArm64 : base->model;
  return target;
}

} // namespace

/// Registers LLVM's targets, once per process. A model without kernels needs them too, because its tables are written.
static void registerOnce() {
  [[maybe_unused]] static const bool isRegistered = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    return true;
  }();
}

bool multiplies(const Target &target, FloatStorage storage) {
  switch (storage) {
  case FloatStorage::F32:
    return true;
  case FloatStorage::F16:
    return target.needs & NACRE_CPU_NEED(NACRE_ARM64_FP16);
  case FloatStorage::BF16:
    break;
  }
  return target.needs & (NACRE_CPU_NEED(NACRE_ARM64_BF16) | NACRE_CPU_NEED(NACRE_X86_AVX512_BF16) |
                         NACRE_CPU_NEED(NACRE_X86_AMX_BF16));
}

bool isCpuOf(StringRef target, StringRef cpu) {
  const System *system = findSystem(target);
  if (!system)
    return false;
  if (cpu == "native")
    return system->name == hostName();
  Expected<StringSet<>> features = featuresOf(cpu, Triple(system->triple).isAArch64());
  return !errorToBool(features.takeError());
}

std::vector<std::string> targetNames() {
  std::vector<std::string> names = {"host"};
  for (const System &system : kSystems)
    names.push_back(system.name.str());
  return names;
}

std::vector<std::string> cpuNames(StringRef target) {
  const System *system = findSystem(target);
  if (!system)
    return {};
  SmallVector<StringRef> known;
  std::vector<std::string> names;
  if (Triple(system->triple).isAArch64()) {
    names = chipNames();
    AArch64::fillValidCPUArchList(known);
  } else {
    X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  }
  if (system->name == hostName())
    known.push_back("native");
  for (StringRef name : known)
    names.push_back(name.str());
  return names;
}

/// True if `name` is a common name of a system on 32-bit ARM.
static bool isNarrowArm(StringRef name) {
  return name.contains("armeabi") || name.contains("armv7") || name.contains("arm32") || name.contains("armhf") ||
         name.ends_with("-arm") || name == "arm";
}

Expected<SmallVector<Target, 1>> parseTargets(StringRef name, StringRef cpus) {
  registerOnce();
  const bool host = name == "host";
  const System *system = findSystem(name);
  if (!system)
    return createStringError(
        "target must be host, linux-x86_64, linux-arm64, android-arm64 or android-x86_64, but is '%s'%s",
        name.str().c_str(), isNarrowArm(name) ? "; 32-bit ARM is not supported" : "");
  if (cpus.empty())
    cpus = host ? "native" : StringRef(system->cpus);

  SmallVector<Target, 1> targets;
  SmallVector<StringRef, 1> names;
  for (StringRef cpu : split(cpus, ',')) {
    cpu = cpu.trim();
    if (cpu == "native" && system->name != hostName())
      return createStringError("cpu must be named for target %s, but is 'native'", system->name.data());
    Expected<Target> target = makeTarget(*system, cpu);
    if (!target)
      return target.takeError();
    if (const auto *same = find_if(
            targets,
            [&](const Target &other) { return other.needs == target->needs && other.inOrder == target->inOrder; });
        same != targets.end())
      return createStringError(
          "cpus must differ in features that the runtime can detect, but '%s' and '%s' do not; name one of them",
          names[same - targets.begin()].str().c_str(), cpu.str().c_str());
    targets.push_back(std::move(*target));
    names.push_back(cpu);
  }
  // Features do not distinguish big cores from little ones. If both kinds have code, the code for big cores must
  // require a feature that the little cores lack.
  SmallVector<uint64_t, 1> ofLittleCores;
  for (const Target &target : targets)
    if (target.inOrder)
      ofLittleCores.push_back(target.needs);
  for (Target &target : targets)
    if (!target.inOrder && any_of(ofLittleCores, [&](uint64_t needs) { return (needs & ~target.needs) == 0; }))
      target.needs |= NACRE_CPU_NEED(NACRE_ARM64_OUT_OF_ORDER);
  // The runtime takes the first variant that it can run. The first variant also decides how weights are packed, so it
  // must have the widest vectors.
  llvm::stable_sort(targets, [](const Target &a, const Target &b) {
    return std::make_pair(a.vectors.bytes, popcount(a.needs)) > std::make_pair(b.vectors.bytes, popcount(b.needs));
  });
  return targets;
}

} // namespace nacre::codegen
