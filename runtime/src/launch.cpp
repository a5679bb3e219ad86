// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see launch.h.
// Why:   see there.
// How:   a launch resolves its operands to pointers, and hands its units out.

#include "runtime/src/launch.h"
#include "runtime/src/float_state.h"
#include "runtime/src/session.h"

namespace nacre::runtime {
namespace {

// Parts of a launch long enough that claiming them is nothing, and enough of them that cores of unequal speed end
// together; what is over before a sleeping worker could wake stays on the caller.
constexpr int64_t kAloneNanoseconds = 4000;
constexpr int64_t kPartNanoseconds = 2000;
constexpr int64_t kPartsPerThread = 4;
constexpr int64_t kUnknownUnitNanoseconds = 1000;

struct KernelCall {
  nacre_kernel_function function;
  nacre_kernel_args args;
  char *scratch;
  uint64_t scratch_stride;
};

void run_units(void *context, uint32_t thread, int64_t begin, int64_t end) {
  const KernelCall &call = *static_cast<const KernelCall *>(context);
  nacre_kernel_args args = call.args;
  args.scratch = call.scratch + thread * call.scratch_stride;
  // Here, because every thread comes by, the app's own too, and leaves with what it came with.
  const KernelFloatState state;
  call.function(&args, begin, end);
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
  if (threads == 1 || units < kAloneNanoseconds / cost)
    return {variant.function, units, units, share_begin, share_end};
  const int64_t fair = units / (kPartsPerThread * int64_t(threads));
  const int64_t least = (kPartNanoseconds + cost - 1) / cost;
  return {variant.function, units, fair > least ? fair : least, share_begin, share_end};
}

void run_launch(const Session &session, const Memory &memory, const nacre_step &step, const Launch &launch,
                int64_t iteration) {
  if (launch.units == 0)
    return;
  for (uint32_t i = 0; i < step.operand_count; ++i) {
    const nacre_operand &operand = session.entry->operands[step.first_operand + i];
    session.pointers[i] = address_of(session, memory, operand) + operand.step * iteration;
  }
  KernelCall call = {launch.function,
                     {session.pointers, nullptr, launch.share_begin, launch.share_end, nullptr},
                     session.scratch,
                     session.scratch_stride};
  if (launch.grain >= launch.units)
    run_units(&call, 0, 0, launch.units);
  else
    session.executor->run(session.executor, run_units, &call, launch.units, launch.grain);
}

} // namespace nacre::runtime
