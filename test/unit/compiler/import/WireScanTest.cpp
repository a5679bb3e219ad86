// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scan of serialized models: what is kept, what stays in the file, what is refused.

#include "compiler/import/onnx/graph/Schema.h"
#include "onnx.pb.h"
#include "gtest/gtest.h"

using namespace nacre::importer;
using onnx_format::scanWire;
using onnx_format::WireRoot;

constexpr uint64_t plenty = 1 << 30;

static std::string errorOf(llvm::StringRef bytes, uint64_t budget = plenty) {
  llvm::Expected<WireSkeleton> skeleton = scanWire(bytes, WireRoot::Model, budget);
  return skeleton ? "" : llvm::toString(skeleton.takeError());
}

TEST(WireScan, TensorBytesStayInTheFile) {
  onnx::ModelProto model;
  onnx::TensorProto *tensor = model.mutable_graph()->add_initializer();
  tensor->set_name("w");
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  tensor->set_raw_data("abcdefgh");
  std::string bytes = model.SerializeAsString();

  llvm::Expected<WireSkeleton> skeleton = scanWire(bytes, WireRoot::Model, plenty);
  ASSERT_TRUE(static_cast<bool>(skeleton));
  ASSERT_EQ(skeleton->payloads.size(), 1u);
  WirePayload payload = skeleton->payloads.front();
  EXPECT_EQ(payload.field, 9u);
  EXPECT_EQ(bytes.substr(payload.offset, payload.length), "abcdefgh");

  onnx::ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(skeleton->bytes));
  EXPECT_EQ(parsed.graph().initializer(0).name(), "w");
  EXPECT_FALSE(parsed.graph().initializer(0).has_raw_data());
  EXPECT_EQ(parsed.graph().initializer(0).segment().end(), 1);
}

TEST(WireScan, LengthsOfRewrittenMessagesAreRight) {
  // Tensors of sizes that take one and two bytes of length, inside attributes, inside nodes.
  onnx::ModelProto model;
  for (size_t size : {0, 1, 127, 128, 300}) {
    onnx::NodeProto *node = model.mutable_graph()->add_node();
    node->set_op_type("Constant");
    node->add_attribute()->mutable_t()->set_raw_data(std::string(size, 'x'));
    node->add_output("y" + std::to_string(size));
  }
  std::string bytes = model.SerializeAsString();
  llvm::Expected<WireSkeleton> skeleton = scanWire(bytes, WireRoot::Model, plenty);
  ASSERT_TRUE(static_cast<bool>(skeleton));
  onnx::ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(skeleton->bytes));
  ASSERT_EQ(parsed.graph().node_size(), 5);
  EXPECT_EQ(parsed.graph().node(4).output(0), "y300");
  EXPECT_EQ(skeleton->payloads.size(), 5u);
}

TEST(WireScan, TextsForPeopleAreDropped) {
  onnx::ModelProto model;
  model.set_doc_string(std::string(1000, 'x'));
  model.mutable_graph()->set_name("g");
  llvm::Expected<WireSkeleton> skeleton = scanWire(model.SerializeAsString(), WireRoot::Model, plenty);
  ASSERT_TRUE(static_cast<bool>(skeleton));
  EXPECT_LT(skeleton->bytes.size(), 10u);
}

TEST(WireScan, EveryTruncationIsAnErrorOrAShorterModel) {
  onnx::ModelProto model;
  model.mutable_graph()->add_node()->add_input("x");
  model.mutable_graph()->add_initializer()->set_raw_data("abcdefgh");
  std::string bytes = model.SerializeAsString();
  for (size_t size = 1; size < bytes.size(); ++size)
    EXPECT_NE(errorOf(llvm::StringRef(bytes).take_front(size)), "") << size;
}

TEST(WireScan, ALengthPastTheEndIsRefused) {
  EXPECT_NE(errorOf("\x3a\x7f").find("truncated"), std::string::npos);
  // 2^63 bytes
  EXPECT_NE(errorOf("\x3a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01").find("truncated"), std::string::npos);
}

/// `body` as a length-delimited field with the one-byte `tag`.
static std::string wrap(char tag, const std::string &body) {
  std::string length;
  for (size_t rest = body.size();; rest >>= 7) {
    length += static_cast<char>(rest > 127 ? (rest & 127) | 128 : rest);
    if (rest <= 127)
      return tag + length + body;
  }
}

TEST(WireScan, SubgraphsNestToALimit) {
  // A graph in an attribute of a node of a graph, and so on: no stack grows with it.
  auto nest = [](int levels) {
    std::string graph;
    for (int level = 0; level < levels; ++level)
      graph = wrap(0x0a, wrap(0x2a, wrap(0x32, graph)));
    return wrap(0x3a, graph);
  };
  EXPECT_EQ(errorOf(nest(20)), "");
  EXPECT_NE(errorOf(nest(10000)).find("nest deeper"), std::string::npos);
}

TEST(WireScan, SmallMessagesAreCountedBeforeTheyAreParsed) {
  // A graph of 100,000 empty nodes: two bytes each in the file, over a hundred in memory.
  std::string nodes;
  for (int node = 0; node < 100000; ++node)
    nodes += std::string("\x0a\x00", 2);
  std::string bytes = wrap(0x3a, nodes);
  EXPECT_NE(errorOf(bytes, /*budget=*/1 << 20).find("too many small messages"), std::string::npos);
  EXPECT_EQ(errorOf(bytes, /*budget=*/1 << 26), "");
}

// What a writer has reason to write fits, however small its messages are: nodes with short names and one attribute,
// values with shapes.
TEST(WireScan, PlainModelsOfManyNodesFit) {
  onnx::ModelProto model;
  for (int number = 0; number < 20000; ++number) {
    onnx::NodeProto *node = model.mutable_graph()->add_node();
    node->add_output("n" + std::to_string(number));
    node->set_op_type("Constant");
    onnx::AttributeProto *value = node->add_attribute();
    value->set_name("value_int");
    value->set_type(onnx::AttributeProto::INT);
    value->set_i(number);
    onnx::ValueInfoProto *output = model.mutable_graph()->add_output();
    output->set_name(node->output(0));
    for (int axis = 0; axis < 8; ++axis)
      output->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(1);
  }
  std::string bytes = model.SerializeAsString();
  EXPECT_EQ(errorOf(bytes, nacre::importer::getStructureBudget(bytes.size())), "");
}

// What holds nothing does not: 10 MiB of empty nodes would be more than a gigabyte.
TEST(WireScan, EmptyMessagesAreRefused) {
  std::string nodes;
  for (int node = 0; node < 5 << 20; ++node)
    nodes += std::string("\x0a\x00", 2);
  std::string bytes = wrap(0x3a, nodes);
  EXPECT_NE(errorOf(bytes, nacre::importer::getStructureBudget(bytes.size())).find("too many small messages"),
            std::string::npos);
}

// However large the file is, its structure stays below 1 GiB and three times the file.
TEST(WireScan, TheStructureIsBounded) {
  for (uint64_t mebibytes : {0, 1, 16, 64, 1024, 1 << 20}) {
    const uint64_t bytes = mebibytes << 20, budget = nacre::importer::getStructureBudget(bytes);
    EXPECT_LE(budget, 3 * bytes + (uint64_t(1) << 30));
    EXPECT_LE(budget, 100 * bytes + (uint64_t(12) << 20));
  }
}

// A format whose messages nest in their own kind, as subgraphs do: `Tree` 0 has trees in field 1, a leaf in field 2.

constexpr WireField treeFields[] = {
    {0, 1, WireKeep::Enter, 0}, {0, 2, WireKeep::Enter, 1}, {1, 3, WireKeep::Leave}, {1, 4, WireKeep::Copy}};
constexpr uint16_t treeCosts[] = {48, 48};

static llvm::Expected<WireSkeleton> scanTree(llvm::StringRef bytes, uint64_t budget = plenty) {
  return nacre::importer::scanWire(bytes, {treeFields, treeCosts, "a tree", /*payloadsField=*/7}, /*root=*/0, budget);
}

/// `content` inside so many trees.
static std::string nestTrees(size_t levels, std::string content) {
  for (size_t level = 0; level < levels; ++level)
    content = wrap(0x0a, content);
  return content;
}

TEST(WireScan, MessagesMayNestInTheirOwnKind) {
  std::string leaf = wrap(0x12, wrap(0x1a, "abc"));
  llvm::Expected<WireSkeleton> skeleton = scanTree(nestTrees(2, leaf) + nestTrees(1, leaf));
  ASSERT_TRUE(static_cast<bool>(skeleton));
  EXPECT_EQ(skeleton->payloads.size(), 2u);
  // Field 7 of each leaf names its payload: [0, 1) and [1, 2).
  auto marked = [](char begin, char end) { return wrap(0x12, wrap(0x3a, {0x08, begin, 0x10, end})); };
  EXPECT_EQ(skeleton->bytes, nestTrees(2, marked(0, 1)) + nestTrees(1, marked(1, 2)));
}

TEST(WireScan, NestingHasALimit) {
  EXPECT_TRUE(static_cast<bool>(scanTree(nestTrees(maxWireDepth, ""))));
  llvm::Expected<WireSkeleton> deep = scanTree(nestTrees(10000, ""));
  ASSERT_FALSE(static_cast<bool>(deep));
  EXPECT_NE(llvm::toString(deep.takeError()).find("nest deeper"), std::string::npos);
}

// What a message costs is counted at every depth.
TEST(WireScan, NestedMessagesAreCounted) {
  std::string trees;
  for (int tree = 0; tree < 1000; ++tree)
    trees += nestTrees(10, "");
  llvm::Expected<WireSkeleton> skeleton = scanTree(trees, /*budget=*/1 << 19);
  ASSERT_FALSE(static_cast<bool>(skeleton));
  EXPECT_NE(llvm::toString(skeleton.takeError()).find("too many small messages"), std::string::npos);
}
