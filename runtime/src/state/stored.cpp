// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see stored.h.
// Why:   see there.
// How:   the model's tensor is walked in the order of the stored axes: the last are the columns, all others the rows.

#include "runtime/src/state/stored.h"

namespace nacre::runtime {
namespace {

constexpr uint32_t kMostAxes = 32;

/// A variable as panels; one that is not in panels has one, as wide as its rows.
struct Panels {
  const int64_t *dims;  // of the model
  const int64_t *order; // or nullptr
  uint32_t rank;
  uint64_t element_bytes, rows, columns;
  uint64_t width, groups, parts, part_columns, panels; // of a part; of a group
  uint64_t strides[kMostAxes];                         // of the model's axes, in bytes

  uint64_t axis(uint32_t stored) const { return order ? uint64_t(order[stored]) : stored; }
};

/// False where the row is damaged.
bool describe(const nacre_model_table &model, const nacre_variable &variable, Panels &panels) {
  const nacre_tensor &tensor = variable.tensor;
  panels.rank = tensor.rank;
  panels.dims = model.dims + tensor.first_dim;
  panels.order = nullptr;
  if (tensor.rank - 1 >= kMostAxes)
    return false;
  if (variable.order) {
    if (variable.order > model.dim_count || tensor.rank > model.dim_count - (variable.order - 1))
      return false;
    panels.order = model.dims + variable.order - 1;
  }
  uint64_t count = 1, seen = 0;
  for (uint32_t i = tensor.rank; i-- > 0;) {
    panels.strides[i] = count;
    const uint64_t axis = panels.axis(i);
    if (axis >= tensor.rank || panels.dims[i] <= 0 || __builtin_mul_overflow(count, uint64_t(panels.dims[i]), &count))
      return false;
    seen |= uint64_t(1) << axis;
  }
  panels.element_bytes = tensor.bytes / count;
  for (uint32_t i = 0; i < tensor.rank; ++i)
    panels.strides[i] *= panels.element_bytes;
  panels.columns = uint64_t(panels.dims[panels.axis(tensor.rank - 1)]);
  panels.rows = count / panels.columns;
  panels.width = panels.columns;
  panels.groups = panels.parts = 1;
  if (variable.encoding != NACRE_WEIGHT_DENSE) {
    panels.width = variable.parameter;
    panels.groups = variable.groups;
    panels.parts = variable.parts;
  }
  const uint64_t pieces = panels.groups * panels.parts;
  if (seen + 1 != uint64_t(1) << tensor.rank || tensor.bytes != panels.element_bytes * count || tensor.bytes == 0 ||
      panels.width == 0 || pieces == 0 || panels.columns % pieces != 0)
    return false;
  panels.part_columns = panels.columns / pieces;
  panels.panels = (panels.part_columns + panels.width - 1) / panels.width;
  return true;
}

/// Where a row begins in the model's tensor.
uint64_t row_begin(const Panels &panels, uint64_t row) {
  uint64_t begin = 0;
  for (uint32_t stored = panels.rank - 1; stored-- > 0;) {
    const uint64_t axis = panels.axis(stored), extent = uint64_t(panels.dims[axis]);
    begin += row % extent * panels.strides[axis];
    row /= extent;
  }
  return begin;
}

} // namespace

uint64_t stored_bytes(const nacre_model_table &model, const nacre_variable &variable) {
  if (is_stored_as_in_model(variable))
    return variable.tensor.bytes;
  Panels panels;
  uint64_t bytes;
  if (variable.encoding > NACRE_WEIGHT_PANEL || !describe(model, variable, panels) ||
      __builtin_mul_overflow(panels.groups * panels.parts * panels.panels, panels.width, &bytes) ||
      __builtin_mul_overflow(bytes, panels.rows * panels.element_bytes, &bytes))
    return kDamaged;
  return bytes;
}

void copy_stored(const nacre_model_table &model, const nacre_variable &variable, char *stored, char *in_model,
                 bool packs) {
  Panels panels;
  if (is_stored_as_in_model(variable)) {
    __builtin_memcpy(packs ? stored : in_model, packs ? in_model : stored, variable.tensor.bytes);
    return;
  }
  describe(model, variable, panels);
  if (packs)
    __builtin_memset(stored, 0, stored_bytes(model, variable));
  const uint64_t column_bytes = panels.strides[panels.axis(panels.rank - 1)];
  const uint64_t part_bytes = panels.width * panels.element_bytes, row_bytes = panels.parts * part_bytes;
  for (uint64_t row = 0; row < panels.rows; ++row) {
    char *there = in_model + row_begin(panels, row);
    for (uint64_t piece = 0; piece < panels.groups * panels.parts; ++piece)
      for (uint64_t column = 0; column < panels.part_columns; ++column) {
        const uint64_t panel = piece / panels.parts * panels.panels + column / panels.width;
        char *here = stored + (panel * panels.rows + row) * row_bytes + piece % panels.parts * part_bytes +
                     column % panels.width * panels.element_bytes;
        for (uint64_t byte = 0; byte < panels.element_bytes; ++byte)
          (packs ? here : there)[byte] = (packs ? there : here)[byte];
        there += column_bytes;
      }
  }
}

} // namespace nacre::runtime
