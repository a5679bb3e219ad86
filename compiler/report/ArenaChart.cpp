// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/report/ArenaChart.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;

namespace nacre {

static SmallVector<ChartStep> makeColumns(ArrayRef<ChartStep> steps, size_t width) {
  const size_t count = std::min(steps.size(), width);
  SmallVector<ChartStep> columns;
  for (size_t column = 0; column < count; ++column) {
    ArrayRef<ChartStep> own = steps.slice(column * steps.size() / count);
    own = own.take_front((column + 1) * steps.size() / count - column * steps.size() / count);
    columns.push_back(*std::max_element(own.begin(), own.end(),
                                        [](const ChartStep &a, const ChartStep &b) { return a.bytes < b.bytes; }));
  }
  return columns;
}

std::string drawArena(ArrayRef<ChartStep> steps, unsigned width, unsigned height, StringRef indent) {
  const SmallVector<ChartStep> columns = makeColumns(steps, width);
  int64_t most = 0;
  for (const ChartStep &column : columns)
    most = std::max(most, column.bytes);
  if (most == 0)
    return "";
  std::string label = formatv("{0:F1} MiB", double(most) / (1 << 20)), text;
  const std::string blank(label.size(), ' ');
  for (unsigned line = height; line > 0; --line) {
    std::string row;
    for (const ChartStep &column : columns) // A column fills each line that it reaches at least partly.
      row += double(column.bytes) * height > double(most) * (line - 1) ? '#' : ' ';
    text += (indent + (line == height ? label : blank) + " |" + StringRef(row).rtrim() + "\n").str();
  }
  std::string marks;
  for (const ChartStep &column : columns)
    marks += column.mark;
  if (!StringRef(marks).trim().empty())
    text += (indent + blank + "  " + marks + "\n").str();
  return text;
}

} // namespace nacre
