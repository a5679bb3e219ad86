// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CallResults.h.

#include "compiler/import/tensorflow/saved/CallResults.h"

#include "compiler/import/tensorflow/graph/CheckedGraph.h"

using namespace mlir;

namespace nacre::importer::tensorflow_format {

void CallResults::settle() {
  size_t numResults = 0;
  for (const auto &call : results)
    numResults += call.second.size();
  for (auto &call : results)
    for (std::string &result : call.second) {
      // All results on the path are resolved, so that no path is followed twice.
      SmallVector<std::string *> way;
      std::string *next = &result;
      while (next && way.size() <= numResults) {
        way.push_back(next);
        next = find(*next);
      }
      bool isCircle = next != nullptr;
      std::string tensor = isCircle ? "" : *way.back();
      for (std::string *passed : way)
        *passed = tensor;
    }
}

std::string *CallResults::find(StringRef tensor) {
  std::optional<TensorName> name = parseTensorName(tensor);
  auto call = name ? results.find(name->node) : results.end();
  return call == results.end() || static_cast<size_t>(name->result) >= call->second.size()
             ? nullptr
             : &call->second[name->result];
}

std::optional<std::string> CallResults::resolve(StringRef tensor) const {
  std::optional<TensorName> name = parseTensorName(tensor);
  auto call = name ? results.find(name->node) : results.end();
  if (call == results.end())
    return tensor.str();
  if (static_cast<size_t>(name->result) >= call->second.size() || call->second[name->result].empty())
    return std::nullopt;
  return call->second[name->result];
}

} // namespace nacre::importer::tensorflow_format
