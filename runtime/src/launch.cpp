// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See launch.h.
// Why: see launch.h.
// How: a launch resolves its operands to pointers and distributes its units in parts. Each thread takes the same parts
//      in every iteration of a loop and in every run. Every second iteration goes backwards. It begins with the weights
//      that the previous iteration left in the cache, which is too small for all weights.

#include "runtime/src/launch.h"
#include "runtime/src/float_state.h"
#include "runtime/src/session.h"

namespace nacre::runtime {
namespace {

// Parts are so long that claiming one takes little time in comparison. They are so many that slow and fast cores end at
// almost the same time. The caller computes a launch without help if it would end before a worker wakes.
constexpr int64_t kAloneNanoseconds = 4000;
constexpr int64_t kPartNanoseconds = 4000;
constexpr int64_t kPartsPerThread = 4;
// Smallest number of parts of a launch that is divided, so that the data of one part fits the cache.
constexpr int64_t kLeastParts = 16;
constexpr int64_t kMostParts = kPartsPerThread * kMaxThreads;
constexpr int64_t kUnknownUnitNanoseconds = 1000;

/// Launch in progress. The executor hands out one ticket for each part. A thread with a ticket takes the next part of
/// its own range. If its range is done, it takes a part of another thread's range.
struct Section {
  nacre_kernel_function function;
  nacre_kernel_args args;
  char *scratch;
  uint64_t scratch_stride;
  int64_t units;
  int64_t parts;
  int64_t threads;
  bool backwards;
  uint64_t taken[kMostParts / 64]; // One bit for each part, set when a thread takes the part.
};

/// Returns the first unit of part `part`. It rounds up, like blocks of units: if two threads divide seven rows, the
/// first thread has four.
int64_t begin_of(const Section &section, int64_t part) {
  return (section.units * part + section.parts - 1) / section.parts;
}

/// Takes a part that no thread has taken, and returns its index. There always is one, because there are no more tickets
/// than parts.
int64_t take_part(Section &section, int64_t thread) {
  const int64_t parts = section.parts, step = section.backwards ? parts - 1 : 1;
  int64_t part =
      section.backwards ? parts * (thread + 1) / section.threads + parts - 1 : parts * thread / section.threads;
  for (;; part += step) {
    part %= parts;
    uint64_t &word = section.taken[part / 64];
    const uint64_t bit = uint64_t(1) << part % 64;
    if (!(__atomic_load_n(&word, __ATOMIC_RELAXED) & bit) && !(__atomic_fetch_or(&word, bit, __ATOMIC_RELAXED) & bit))
      return part;
  }
}

void run_parts(void *context, uint32_t thread, int64_t begin, int64_t end) {
  Section &section = *static_cast<Section *>(context);
  nacre_kernel_args args = section.args;
  args.scratch = section.scratch + thread * section.scratch_stride;
  // Every thread that computes a part calls this function, also the app's thread. At the end, the thread gets its
  // earlier state back.
  const KernelFloatState state;
  if (section.parts == 1)
    return section.function(&args, 0, section.units);
  for (int64_t ticket = begin; ticket < end; ++ticket) {
    const int64_t part = take_part(section, thread);
    section.function(&args, begin_of(section, part), begin_of(section, part + 1));
  }
}

/// Starts a launch whose operands are resolved. It is inlined in both callers, because models without GPU code link
/// only one of them.
__attribute__((always_inline)) inline void start(const Session &session, const Launch &launch, int64_t iteration) {
  nacre_executor &executor = *session.executor;
  const bool backwards = iteration % 2 != 0;
  const int64_t parts = executor.threads == 1 && !backwards ? 1 : launch.parts;
  Section section = {launch.function,
                     {session.pointers, nullptr, launch.share_begin, launch.share_end, nullptr},
                     session.scratch,
                     session.scratch_stride,
                     launch.units,
                     parts,
                     executor.threads,
                     backwards,
                     {}};
  if (parts == 1)
    run_parts(&section, 0, 0, 1);
  else
    executor.run(&executor, run_parts, &section, parts, 1);
}

} // namespace

char *address_of(const Session &session, const Memory &memory, const nacre_operand &operand) {
  switch (operand.space) {
  case NACRE_SPACE_INPUT:
    return memory.inputs[operand.index].used + operand.offset;
  case NACRE_SPACE_OUTPUT:
    return memory.outputs[operand.index].used + operand.offset;
  case NACRE_SPACE_STATE:
    return memory.state + operand.offset;
  case NACRE_SPACE_WEIGHT:
    // Kernels only read weights, but their table of pointers has one type for all operands.
    return const_cast<char *>(session.weights) + session.model->weights[operand.index].offset + operand.offset;
  default: // The plan refuses all other spaces.
    return memory.arena + operand.offset;
  }
}

Launch prepare_launch(const nacre_cpu_variant &variant, int64_t share_begin, int64_t share_end, uint32_t threads) {
  const int64_t extent = share_end - share_begin;
  const int64_t blocks = extent > 0 ? (extent + variant.unit_extent - 1) / variant.unit_extent : 0;
  const int64_t units = blocks * variant.units_per_block;
  const int64_t cost = variant.unit_nanoseconds ? variant.unit_nanoseconds : kUnknownUnitNanoseconds;
  const int64_t wanted = threads * kPartsPerThread < kLeastParts ? kLeastParts : threads * kPartsPerThread;
  int64_t parts = units < kAloneNanoseconds / cost ? 1 : (units * cost + kPartNanoseconds - 1) / kPartNanoseconds;
  const int64_t limits[] = {wanted, kMostParts, units};
  for (const int64_t most : limits)
    parts = parts < most ? parts : most;
  // Each thread gets the same number of parts, so that its range of units does not depend on the number of parts.
  if (parts > threads)
    parts -= parts % threads;
  return {variant.function, units, parts, share_begin, share_end};
}

void run_launch(const Session &session, const Memory &memory, const nacre_step &step, const Launch &launch,
                int64_t iteration) {
  if (launch.units == 0)
    return;
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = session.view.entry->operands[step.first_operand + i];
    session.pointers[i] = address_of(session, memory, operand) + operand.step * iteration;
  }
  start(session, launch, iteration);
}

void run_resolved(const Session &session, const Launch &launch, int64_t iteration) {
  if (launch.units != 0)
    start(session, launch, iteration);
}

} // namespace nacre::runtime
