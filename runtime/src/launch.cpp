// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see launch.h.
// Why:   see there.
// How:   a launch resolves its operands to pointers, and hands its units out in parts. A thread takes the same ones in each
//        iteration of a loop and in each run, and every other iteration of a loop goes by them from the last one on: it begins with
//        the weights that a cache too small for all of them still holds.

#include "runtime/src/launch.h"
#include "runtime/src/float_state.h"
#include "runtime/src/session.h"

namespace nacre::runtime {
namespace {

// Parts of a launch long enough that claiming them is nothing, and enough of them that cores of unequal speed end
// together; what is over before a sleeping worker could wake stays on the caller.
constexpr int64_t kAloneNanoseconds = 4000;
constexpr int64_t kPartNanoseconds = 4000;
constexpr int64_t kPartsPerThread = 4;
constexpr int64_t kLeastParts = 16; // of what is long enough for them, so that turning back finds a part in the cache
constexpr int64_t kMostParts = kPartsPerThread * kMaxThreads;
constexpr int64_t kUnknownUnitNanoseconds = 1000;

/// A launch under way. The executor hands out tickets, as many as there are parts: whoever has one takes the next part of
/// the thread's own stretch or, where that is done, of another's.
struct Section {
  nacre_kernel_function function;
  nacre_kernel_args args;
  char *scratch;
  uint64_t scratch_stride;
  int64_t units;
  int64_t parts;
  int64_t threads;
  bool backwards;
  uint64_t taken[kMostParts / 64]; // a bit for each part
};

/// The first unit of a part. Rounded up, as blocks of units are: of seven rows the first of two threads has four.
int64_t begin_of(const Section &section, int64_t part) {
  return (section.units * part + section.parts - 1) / section.parts;
}

/// There are never more tickets than parts, so there is one.
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
  // Here, because every thread comes by, the app's own too, and leaves with what it came with.
  const KernelFloatState state;
  if (section.parts == 1)
    return section.function(&args, 0, section.units);
  for (int64_t ticket = begin; ticket < end; ++ticket) {
    const int64_t part = take_part(section, thread);
    section.function(&args, begin_of(section, part), begin_of(section, part + 1));
  }
}

/// Inlined in both callers: models without GPU code link only one of them.
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
    // Kernels read weights only; the table of pointers they get has one type for all.
    return const_cast<char *>(session.weights) + session.model->weights[operand.index].offset + operand.offset;
  default: // the plan has refused every other space
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
  // As many for each thread: its stretch of the units then does not depend on how many parts a launch has.
  if (parts > threads)
    parts -= parts % threads;
  return {variant.function, units, parts, share_begin, share_end};
}

void run_launch(const Session &session, const Memory &memory, const nacre_step &step, const Launch &launch,
                int64_t iteration) {
  if (launch.units == 0)
    return;
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = session.entry->operands[step.first_operand + i];
    session.pointers[i] = address_of(session, memory, operand) + operand.step * iteration;
  }
  start(session, launch, iteration);
}

void run_resolved(const Session &session, const Launch &launch, int64_t iteration) {
  if (launch.units != 0)
    start(session, launch, iteration);
}

} // namespace nacre::runtime
