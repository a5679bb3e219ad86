// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/EntryImports.h"

#include "llvm/Support/TimeProfiler.h"

using namespace mlir;

namespace nacre {

OwningOpRef<ModuleOp> EntryImports::get(const importer::ImportOptions &options, const importer::KeptTensors &kept) {
  auto import = [&] {
    const llvm::TimeTraceScope scope("import entry", options.entry);
    return model.import(options, kept);
  };
  if (!keeps)
    return import();
  OwningOpRef<ModuleOp> &one = imported[{options.entry, options.training ? options.training->batch : 0}];
  if (!one)
    one = import();
  return one ? OwningOpRef<ModuleOp>(one->clone()) : nullptr;
}

} // namespace nacre
