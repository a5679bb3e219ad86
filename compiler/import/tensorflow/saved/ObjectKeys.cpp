// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements ObjectKeys.h.

#include "compiler/import/tensorflow/saved/ObjectKeys.h"

#include "compiler/import/tensorflow/graph/Schema.h"

#include "mlir/IR/Diagnostics.h"
#include <map>
#include <vector>

using namespace mlir;

namespace nacre::importer::tensorflow_format {

static StringRef findKey(const tensorflow::TrackableObjectGraph::TrackableObject &object) {
  for (const auto &attribute : object.attributes())
    if (attribute.name() == "VARIABLE_VALUE")
      return attribute.checkpoint_key();
  return "";
}

ObjectKeys findObjectKeys(const tensorflow::SavedObjectGraph &model,
                          const tensorflow::TrackableObjectGraph &checkpoint) {
  ObjectKeys keys;
  std::vector<bool> isReached(model.nodes_size(), false);
  std::vector<std::pair<int, int>> pending;
  auto reach = [&](int saved, int stored) {
    bool exists = saved >= 0 && saved < model.nodes_size() && stored >= 0 && stored < checkpoint.nodes_size();
    if (!exists || isReached[saved])
      return;
    isReached[saved] = true;
    pending.push_back({saved, stored});
  };
  reach(0, 0);
  while (!pending.empty()) {
    auto [saved, stored] = pending.back();
    pending.pop_back();
    const tensorflow::SavedObject &object = model.nodes(saved);
    StringRef key = findKey(checkpoint.nodes(stored));
    if (object.has_variable() && !key.empty())
      keys[saved] = key.str();
    std::map<StringRef, int> children;
    for (const tensorflow::ObjectReference &child : checkpoint.nodes(stored).children())
      children.try_emplace(child.local_name(), child.node_id());
    for (const tensorflow::ObjectReference &child : object.children())
      if (auto same = children.find(child.local_name()); same != children.end())
        reach(child.node_id(), same->second);
  }
  return keys;
}

llvm::StringMap<std::string> nameObjectKeys(const tensorflow::SavedObjectGraph &model, const ObjectKeys &keys) {
  llvm::StringMap<int> numNamed;
  for (const tensorflow::SavedObject &object : model.nodes())
    if (object.has_variable())
      ++numNamed[object.variable().name()];
  llvm::StringMap<std::string> named;
  for (const auto &[object, key] : keys)
    if (StringRef name = model.nodes(object).variable().name(); numNamed.lookup(name) == 1)
      named[name] = key;
  return named;
}

FailureOr<ObjectKeys> readObjectKeys(const tensorflow::SavedObjectGraph &model, TensorBundle &bundle, Location loc) {
  constexpr StringRef key = "_CHECKPOINTABLE_OBJECT_GRAPH";
  if (!bundle.contains(key))
    return ObjectKeys();
  FailureOr<std::vector<StringRef>> strings = bundle.readStrings(key, loc);
  if (failed(strings))
    return failure();
  if (strings->size() != 1)
    return emitError(loc) << "the checkpoint must hold one graph of objects, but holds " << strings->size();
  constexpr uint64_t memoryFloor = 16 << 20;
  llvm::Expected<WireSkeleton> skeleton =
      scanWire(strings->front(), WireRoot::Objects, 3 * strings->front().size() + memoryFloor);
  tensorflow::TrackableObjectGraph checkpoint;
  if (!skeleton)
    return emitError(loc) << "the checkpoint's objects: " << llvm::toString(skeleton.takeError());
  if (!checkpoint.ParsePartialFromArray(skeleton->bytes.data(), static_cast<int>(skeleton->bytes.size())))
    return emitError(loc) << "the checkpoint's objects are damaged";
  return findObjectKeys(model, checkpoint);
}

} // namespace nacre::importer::tensorflow_format
