// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of weights in training that differ from the names of their initializers. Exporters let two weights that are
// equal at first share an initializer, and give weights that they joined a meaningless name. Users choose weights by
// name, and find them under these names in a state. The node that reads the weight decides the name.

#ifndef NACRE_COMPILER_IMPORT_ONNX_WEIGHTNAMES_H
#define NACRE_COMPILER_IMPORT_ONNX_WEIGHTNAMES_H

#include "onnx.pb.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace nacre::importer::onnx_format {

/// Returns the name of the weight that is input `index` of a node; empty if it is its initializer's. The result of a
/// node Identity has its own name. A weight of a recurrent layer has the node's name and a letter: `/lstm/LSTM.W` for
/// `onnx::LSTM_59`.
std::string nameWeight(const onnx::NodeProto &node, int index);

/// Returns the initializers of a graph that have such names, by these names. An initializer that several nodes read
/// keeps its own.
llvm::StringMap<const onnx::TensorProto *> findRenamed(const onnx::GraphProto &graph);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_WEIGHTNAMES_H
