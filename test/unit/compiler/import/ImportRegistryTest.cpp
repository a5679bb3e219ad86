// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which handler a version of an operator set gets.

#include "compiler/import/binding/ImportRegistry.h"
#include "gtest/gtest.h"

using nacre::importer::ImportRegistry;

static ImportRegistry makeRegistry() {
  ImportRegistry registry;
  // The order of registration must not matter.
  registry.add("Clip", 11, {{"input"}, {"min?"}, {"max?"}}, nullptr);
  registry.add("Clip", 6, {{"input"}}, nullptr);
  return registry;
}

TEST(ImportRegistry, AHandlerHoldsUntilALaterOneTakesOver) {
  ImportRegistry registry = makeRegistry();
  EXPECT_EQ(registry.find("Clip", 6)->since, 6);
  EXPECT_EQ(registry.find("Clip", 10)->since, 6);
  EXPECT_EQ(registry.find("Clip", 11)->since, 11);
  EXPECT_EQ(registry.find("Clip", 22)->since, 11);
}

TEST(ImportRegistry, NothingIsOlderThanTheFirstVersion) {
  ImportRegistry registry = makeRegistry();
  EXPECT_EQ(registry.find("Clip", 5), nullptr);
  EXPECT_EQ(registry.getFirstVersion("Clip"), 6);
}

TEST(ImportRegistry, WhereAModelNamesNoVersionTheNewestCounts) { EXPECT_EQ(makeRegistry().find("Clip", 0)->since, 11); }

TEST(ImportRegistry, AnUnknownOperatorHasNoVersion) {
  ImportRegistry registry = makeRegistry();
  EXPECT_EQ(registry.find("Clop", 22), nullptr);
  EXPECT_EQ(registry.getFirstVersion("Clop"), std::nullopt);
}
