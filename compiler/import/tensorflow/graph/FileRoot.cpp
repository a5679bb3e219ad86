// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the kind of message in a TensorFlow file.

#include "compiler/import/tensorflow/graph/FileRoot.h"

#include "compiler/import/model/FileKind.h"
#include "compiler/import/protobuf/ProtoText.h"

#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace nacre::importer::tensorflow_format {

/// Removes the tag and the length of a field from `bytes`, and sets `body` to the field's bytes. In a file that is cut
/// off, `body` may be shorter than the length.
static bool enterField(StringRef &bytes, char tag, StringRef &body) {
  uint64_t length;
  if (!bytes.consume_front(StringRef(&tag, 1)) || !takeVarint(bytes, length))
    return false;
  body = bytes.take_front(length);
  bytes = bytes.drop_front(body.size());
  return true;
}

/// True if the bytes begin like a graph. A graph begins with a node, and a node begins with its name and operator.
/// TensorFlow never writes the version first.
static bool beginsAsGraph(StringRef bytes) {
  StringRef node, name, op;
  return enterField(bytes, 0x0a, node) && enterField(node, 0x0a, name) && (name.empty() || isText(name)) &&
         (node.empty() || (enterField(node, 0x12, op) && (op.empty() || isText(op))));
}

/// True if the bytes begin like a MetaGraph. A MetaGraph begins with its description. In the description, an optional
/// version is followed by operators, other information or tags.
static bool beginsAsMetaGraph(StringRef bytes) {
  StringRef info, version, field;
  if (!enterField(bytes, 0x0a, info))
    return false;
  enterField(info, 0x0a, version);
  return info.empty() || enterField(info, 0x12, field) || enterField(info, 0x1a, field) ||
         enterField(info, 0x22, field);
}

/// True if the bytes begin like a saved model: with the version, and then a MetaGraph, whose fields may be in any
/// order.
static bool beginsAsSavedModel(StringRef bytes) {
  uint64_t version;
  StringRef meta;
  if (bytes.consume_front(StringRef("\x08", 1)) && !takeVarint(bytes, version))
    return false;
  constexpr StringRef tags = "\x0a\x12\x1a\x22\x2a\x32\x3a"; // tags of the fields 1 to 7
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
