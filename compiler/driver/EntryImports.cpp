// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/EntryImports.h"

using namespace mlir;

namespace nacre {

OwningOpRef<ModuleOp> EntryImports::get(const importer::ImportOptions &options, const importer::KeptTensors &kept) {
  if (!keeps)
    return import(options, kept);
  OwningOpRef<ModuleOp> &one =
      imported[{options.entry + options.entrySuffix, options.training ? options.training->batch : 0}];
  if (!one)
    one = import(options, kept);
  return one ? OwningOpRef<ModuleOp>(one->clone()) : nullptr;
}

} // namespace nacre
