// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of trained weights that differ from the names of their initializers. Exporters let weights with equal initial
// values share an initializer, and give meaningless names to weights that they joined. Users choose weights by name,
// and find them under these names in a state. The node that reads the weight decides the name.

#ifndef NACRE_COMPILER_IMPORT_ONNX_WEIGHTNAMES_H
#define NACRE_COMPILER_IMPORT_ONNX_WEIGHTNAMES_H

#include "onnx.pb.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace nacre::importer::onnx_format {

/// Returns the name of the weight in input `index` of a node. It is empty if the weight has the name of its
/// initializer. For an Identity node, it is the name of its result. A weight of a recurrent layer has the node's name
/// and a letter: `/lstm/LSTM.W` instead of `onnx::LSTM_59`.
std::string nameWeight(const onnx::NodeProto &node, int index);

/// Returns the initializers of a graph that have another name as weights, by these names. An initializer that several
/// nodes read keeps its name.
llvm::StringMap<const onnx::TensorProto *> findRenamed(const onnx::GraphProto &graph);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_WEIGHTNAMES_H
