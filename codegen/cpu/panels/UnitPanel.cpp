// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/cpu/panels/UnitPanel.h"

#include "codegen/cpu/panels/PackColumns.h"
#include "codegen/cpu/panels/PackGroups.h"
#include "codegen/cpu/panels/PanelWalk.h"
#include "dialects/StoredBytes.h"

using namespace mlir;

namespace nacre::codegen::cpu {

bool UnitPanel::isReadInPlace(int64_t columns, int64_t lanes) const {
  const uint64_t bytes = uint64_t(contraction.depthSize()) * width * bytesOfElement(contraction.rightType());
  return contraction.columns.strides[Contraction::Rhs] == 1 && columns % lanes == 0 && contraction.parts == 1 &&
         !contraction.right && !contraction.isOfIntegers() && (bytes > build.target.model.l2Bytes || liesAsPacked());
}

bool UnitPanel::liesAsPacked() const {
  int64_t stride = width;
  for (const ContractionLoop &loop : llvm::reverse(contraction.depth)) {
    if (loop.strides[Contraction::Rhs] != stride)
      return false;
    stride *= loop.size;
  }
  return true;
}

Panel UnitPanel::inPlace() const {
  Panel panel;
  panel.width = width;
  panel.buffer = function.buffers[contraction.operands[Contraction::Rhs].argument];
  for (const ContractionLoop &loop : contraction.depth)
    panel.strides.push_back(loop.strides[Contraction::Rhs]);
  return panel;
}

Panel UnitPanel::pack(int64_t columns, Addresses &at) const {
  Panel panel;
  panel.width = width;
  panel.strides.resize(walked.depth.size());
  int64_t stride = width * walked.parts * walked.groups.k;
  for (unsigned level = walked.depth.size(); level-- > 0; stride *= walked.depth[level].size)
    panel.strides[level] = stride;
  panel.buffer = allocateScratch(function, build, stride, typeInScratch(build.target, contraction));
  for (int64_t part = 0; part < contraction.parts; ++part) {
    const int64_t start = part * contraction.columns.size * contraction.columns.strides[Contraction::Rhs];
    packColumns(0, columns, panel, build.add(at[Contraction::Rhs], start), build.index(part * width));
  }
  at[Contraction::Rhs] = build.index(0);
  return panel;
}

void UnitPanel::packColumns(unsigned level, int64_t columns, const Panel &panel, Value from, Value to) const {
  // The innermost loop is packed as a whole, unless each of its steps is a separate run.
  const bool inRuns = walked.groups.k > 1 && walked.groups.run == 1;
  if (level + (inRuns ? 0 : 1) < contraction.depth.size()) {
    const ContractionLoop &loop = contraction.depth[level];
    return build.loop(0, loop.size, 1, [&](Position step) {
      packColumns(level + 1, columns, panel, build.address({{from, 0}, step}, {1, loop.strides[Contraction::Rhs]}, 0),
                  build.address({{to, 0}, step}, {1, panel.strides[level]}, 0));
    });
  }
  const PackedSource source = {function.buffers[contraction.operands[Contraction::Rhs].argument], from};
  const PackedAxis across = {columns, contraction.columns.strides[Contraction::Rhs]};
  const ContractionLoop &steps = contraction.depth.back();
  const int64_t stride = steps.strides[Contraction::Rhs];
  if (walked.groups.k > 1)
    return packGroups(build, source, inRuns ? 0 : stride, across, walked.groups, {panel.buffer, to, 0, panel.width});
  packRows(build, source, {steps.size, stride}, across, {panel.buffer, to, panel.strides[level], panel.width},
           cast<MemRefType>(panel.buffer.getType()).getElementType());
}

} // namespace nacre::codegen::cpu
