// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of TensorFlow's messages a file holds.

#include "compiler/import/tensorflow/graph/FileRoot.h"

#include "compiler/import/model/FileKind.h"
#include "compiler/import/protobuf/ProtoText.h"

#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace nacre::importer::tensorflow_format {

/// Drops the tag of a text or a message, and gives what there is of it: a file may be cut off.
static bool enterField(StringRef &bytes, char tag, StringRef &body) {
  uint64_t length;
  if (!bytes.consume_front(StringRef(&tag, 1)) || !takeVarint(bytes, length))
    return false;
  body = bytes.take_front(length);
  bytes = bytes.drop_front(body.size());
  return true;
}

/// A graph begins with a node, which begins with its name and its operator. The version comes first in none that TensorFlow
/// writes.
static bool beginsAsGraph(StringRef bytes) {
  StringRef node, name, op;
  return enterField(bytes, 0x0a, node) && enterField(node, 0x0a, name) && (name.empty() || isText(name)) &&
         (node.empty() || (enterField(node, 0x12, op) && (op.empty() || isText(op))));
}

/// What describes a graph comes before it: first the operators that it has, or its tags.
static bool beginsAsMetaGraph(StringRef bytes) {
  StringRef info, version, field;
  if (!enterField(bytes, 0x0a, info))
    return false;
  enterField(info, 0x0a, version);
  return info.empty() || enterField(info, 0x12, field) || enterField(info, 0x1a, field) ||
         enterField(info, 0x22, field);
}

/// The version, then a graph of which any part may come first: this message is not always written in order.
static bool beginsAsSavedModel(StringRef bytes) {
  uint64_t version;
  StringRef meta;
  if (bytes.consume_front(StringRef("\x08", 1)) && !takeVarint(bytes, version))
    return false;
  constexpr StringRef tags = "\x0a\x12\x1a\x22\x2a\x32\x3a"; // fields 1 to 7
  return enterField(bytes, 0x12, meta) && (meta.empty() || tags.contains(meta.front()));
}

std::optional<WireRoot> findRoot(StringRef bytes) {
  if (isText(bytes))
    return llvm::StringSwitch<std::optional<WireRoot>>(getFirstField(bytes))
        .Cases({"node", "library", "versions"}, WireRoot::Graph)
        .Cases({"meta_info_def", "graph_def", "saver_def"}, WireRoot::MetaGraph)
        .Cases({"saved_model_schema_version", "meta_graphs"}, WireRoot::SavedModel)
        .Default(std::nullopt);
  if (beginsAsGraph(bytes))
    return WireRoot::Graph;
  if (beginsAsMetaGraph(bytes))
    return WireRoot::MetaGraph;
  return beginsAsSavedModel(bytes) ? std::optional(WireRoot::SavedModel) : std::nullopt;
}

} // namespace nacre::importer::tensorflow_format
