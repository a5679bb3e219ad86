// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/package/GpuRows.h"

#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace nacre::package {

nacre_gpu_variant gpuVariantRow(const codegen::GpuKernelCode &variant) {
  nacre_gpu_variant row{};
  row.needs = variant.needs;
  row.unit_extent = variant.unitExtent;
  row.code_bytes = variant.code.size() * sizeof(uint32_t);
  row.binding_count = variant.bindings.size();
  row.groups = variant.groups;
  row.workgroup_size = variant.workgroupSize;
  row.shared_bytes = variant.sharedBytes;
  row.families = variant.families;
  row.shifted = variant.shifted;
  row.piece_bytes = variant.pieceBytes;
  return row;
}

uint64_t hashOfGpuCode(ArrayRef<CompiledKernel> kernels) {
  bool hasCode = false;
  SmallVector<uint64_t> parts;
  auto add = [&](const void *data, size_t bytes) {
    parts.push_back(xxh3_64bits(ArrayRef(static_cast<const uint8_t *>(data), bytes)));
  };
  for (const CompiledKernel &kernel : kernels) {
    parts.push_back(kernel.gpu.variants.size());
    for (const codegen::GpuKernelCode &variant : kernel.gpu.variants) {
      hasCode = true;
      const nacre_gpu_variant row = gpuVariantRow(variant);
      add(&row, sizeof row);
      add(variant.code.data(), row.code_bytes);
      add(variant.bindings.data(), variant.bindings.size());
    }
  }
  if (!hasCode)
    return 0;
  const size_t bytes = parts.size() * sizeof parts[0];
  add(parts.data(), bytes);
  return parts.back();
}

} // namespace nacre::package
