// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see GpuToyModel.h.
// Why:   see there.
// How:   the tables are filled as codegen/package would.

#include "test/runtime/gpu_vulkan/GpuToyModel.h"
#include "codegen/package/PackGpuCode.h"
#include "test/runtime/RuntimeSlots.h"

#include <algorithm>

namespace nacre::test {
namespace {

// Made of kernels/*.spvasm.
constexpr uint32_t kScaleCode[] = {
#include "scale.inc"
};
constexpr uint32_t kReluCode[] = {
#include "relu.inc"
};
constexpr uint32_t kCopyCode[] = {
#include "copy.inc"
};
constexpr uint32_t kAddCode[] = {
#include "add.inc"
};
constexpr uint32_t kAddAnywhereCode[] = {
#include "add_anywhere.inc"
};

constexpr uint8_t kInOrder[] = {0, 1, 2};

} // namespace

template <size_t Words>
nacre_gpu_variant GpuToyModel::variant(const uint32_t (&code)[Words], uint32_t bindings, int64_t unitExtent,
                                       uint32_t groups, uint32_t workgroupSize) {
  packed.push_back(package::packGpuCode(code, Words));
  nacre_gpu_variant row = {};
  row.code = packed.back().data();
  row.packed_bytes = uint32_t(packed.back().size());
  row.code_bytes = sizeof code;
  row.bindings = kInOrder;
  row.binding_count = bindings;
  row.unit_extent = unitExtent;
  row.groups = groups;
  row.workgroup_size = workgroupSize;
  return row;
}

GpuToyModel::GpuToyModel() {
  // As for the CPU, the first variant of `scale` needs what no device has.
  gpuVariants[0] = variant(kScaleCode, 3, 4, 3, 64);
  gpuVariants[0].needs = NACRE_GPU_NEED(63);
  gpuVariants[1] = variant(kScaleCode, 3, 4, 3, 64);
  gpuVariants[2] = variant(kReluCode, 2, 1, 1, 48);
  gpuVariants[3] = variant(kCopyCode, 2, 1, 1, 48);
  gpuVariants[4] = variant(kAddCode, 2, 1, 1, 48);
  addAnywhere = variant(kAddAnywhereCode, 2, 1, 1, 48);
  addAnywhere.shifted = 0b11;
  kernels[0].gpu = &gpuVariants[0];
  kernels[0].gpu_count = 2;
  for (uint32_t i = 1; i < 4; ++i) {
    kernels[i].gpu = &gpuVariants[i + 1];
    kernels[i].gpu_count = 1;
  }
  for (nacre_step &step : steps) {
    step.gpu_end = step.cut_extent;
    step.cpu_begin = step.cpu_end;
  }
  steps[0].grain = 4; // the shader's rows
  table.head.functions = &kSlots<true, false, true>.functions;
  table.gpu_engine = &kSlots<true, false, true>.engine;
  table.gpu_code_hash = 1; // for all of them: what is kept of one serves the others, if they do not say otherwise
}

void GpuToyModel::branchBeforeLoop() {
  std::copy(operands, operands + 8, conditional);
  conditional[8] = {NACRE_SPACE_INPUT, 0, 3, 0, 1, NACRE_READ, NACRE_U8}; // sign and exponent
  std::copy(steps, steps + 2, branching);
  branching[2] = {};
  branching[2].kind = NACRE_STEP_BRANCH_IF_ZERO;
  branching[2].first_operand = 8;
  branching[2].operand_count = 1;
  branching[2].target = 7;
  std::copy(steps + 2, steps + 6, branching + 3);
  entries[0].steps = branching;
  entries[0].step_count = 7;
  entries[0].first_write = 3;
  entries[0].operands = conditional;
  entries[0].operand_count = 9;
}

} // namespace nacre::test
