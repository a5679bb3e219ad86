// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/compile/ChipList.h"
#include "compiler/driver/DeviceNames.h"
#include "tools/Help.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace nacre::tools {

void listChips(raw_ostream &os) {
  for (const ChipDescription &chip : describeChips()) {
    std::string text = chip.cores + "; " + (chip.features.empty() ? "only NEON" : join(chip.features, ", "));
    if (!chip.models.empty())
      text += "; also " + join(chip.models, ", ");
    printEntry(os, chip.name, text, 27);
  }
}

void listChipNames(raw_ostream &os) {
  const std::vector<ChipDescription> chips = describeChips();
  for (size_t first = 0, last = 0; first < chips.size(); first = last) {
    SmallVector<StringRef> names;
    for (; last < chips.size() && chips[last].vendor == chips[first].vendor; ++last)
      names.push_back(chips[last].name);
    printEntry(os, chips[first].vendor, join(names, ", "), 13);
  }
}

} // namespace nacre::tools
