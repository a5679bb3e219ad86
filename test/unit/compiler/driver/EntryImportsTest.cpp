// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/EntryImports.h"

#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace nacre;

namespace {

/// Imports of a model that notes each of them.
struct CountedModel {
  mlir::MLIRContext context;
  std::vector<std::string> imports;
  bool fails = false;

  EntryImports::Import import() {
    return [this](const importer::ImportOptions &options, const importer::KeptTensors &) {
      imports.push_back(options.entry + "@" + std::to_string(options.training ? options.training->batch : 0));
      return fails ? nullptr
                   : mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
    };
  }
};

importer::ImportOptions entry(llvm::StringRef name, int64_t batch) {
  importer::ImportOptions options;
  options.entry = name.str();
  options.training.emplace().batch = batch;
  return options;
}

TEST(EntryImports, ImportsAnEntryOnceForEachBatch) {
  CountedModel model;
  EntryImports imports(model.import(), /*keeps=*/true);
  mlir::OwningOpRef<mlir::ModuleOp> first = imports.get(entry("main", 0), {}),
                                    again = imports.get(entry("main", 0), {});
  ASSERT_TRUE(first && again);
  EXPECT_NE(*first, *again) << "each plan changes a module of its own";
  for (int64_t part : {32, 16, 32}) {
    EXPECT_TRUE(imports.get(entry("main", 0), {}));
    EXPECT_TRUE(imports.get(entry("train", part), {}));
  }
  EXPECT_EQ(model.imports, std::vector<std::string>({"main@0", "train@32", "train@16"}));
}

TEST(EntryImports, KeepsNothingThatIsNotAskedForAgain) {
  CountedModel model;
  EntryImports imports(model.import(), /*keeps=*/false);
  EXPECT_TRUE(imports.get(entry("main", 0), {}));
  EXPECT_TRUE(imports.get(entry("main", 0), {}));
  EXPECT_EQ(model.imports.size(), 2U);
}

TEST(EntryImports, ReportsAFailedImport) {
  CountedModel model;
  model.fails = true;
  EntryImports imports(model.import(), /*keeps=*/true);
  EXPECT_FALSE(imports.get(entry("train", 7), {}));
}

} // namespace
