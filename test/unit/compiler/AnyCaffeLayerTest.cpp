// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every layer that Caffe's importer handles, with bottoms, weights and parameters of all sorts, as AnyNodeTest.cpp has
// ONNX's operators.

#include "test/unit/compiler/CaffeDraw.h"
#include "test/unit/compiler/NodeTrial.h"

#include "compiler/import/caffe/Handlers.h"

#include "google/protobuf/text_format.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace nacre;
using namespace nacre::importer;

namespace {

constexpr int drawsPerHandler = 60;

class AnyCaffeLayer : public NodeTrial {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("any-layer", folder)); }
  void TearDown() override { EXPECT_FALSE(llvm::sys::fs::remove_directories(folder)); }

  void write(const char *name, const std::string &bytes) {
    std::error_code failure;
    llvm::raw_fd_ostream((folder + name).str(), failure) << bytes;
    ASSERT_FALSE(failure);
  }

  /// Imports from files, since a network's weights have one of their own.
  bool compile(const DrawnNetwork &drawn) {
    std::string text;
    EXPECT_TRUE(google::protobuf::TextFormat::PrintToString(drawn.network, &text));
    write("/net.prototxt", text);
    write("/net.caffemodel", drawn.weights.SerializeAsString());
    return NodeTrial::compile(
        [&](const ImportOptions &options) { return importModel((folder + "/net.prototxt").str(), options, &context); },
        [&] { return text + drawn.weights.ShortDebugString(); });
  }

  llvm::SmallString<128> folder;
};

/// Bottoms that go together in too many ways to be drawn.
bool isIntricate(llvm::StringRef type) { return type == "DetectionOutput" || type == "Correlation"; }

TEST_F(AnyCaffeLayer, IsCompiledOrRefusedInPlainWords) {
  for (const auto &operation : caffe_format::getOperators().getEntries()) {
    Draw draw(llvm::xxh3_64bits(operation.first()));
    auto tryOne = [&] {
      return compile(drawNetwork(draw, operation.first(), operation.second.front().signature.getRules()));
    };
    tryDraws(operation.first().str(), drawsPerHandler, tryOne, /*mayBeRefused=*/isIntricate(operation.first()));
  }
}

} // namespace
