// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what weights are called in training that have another name than their initializer.
// Why:   exporters let two weights share an initializer that are equal at first, and give what they have put together a name that says
//        nothing; a user chooses weights by names, and finds them by these in a state.
// How:   by the node that reads it.

#ifndef NACRE_COMPILER_IMPORT_ONNX_WEIGHTNAMES_H
#define NACRE_COMPILER_IMPORT_ONNX_WEIGHTNAMES_H

#include "onnx.pb.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace nacre::importer::onnx_format {

/// The name of the weight that is input `index` of a node: what a node Identity calls it; of a recurrent layer the node's and a letter,
/// `/lstm/LSTM.W` for `onnx::LSTM_59`. Empty: its initializer's.
std::string nameWeight(const onnx::NodeProto &node, int index);

/// The initializers of a graph that have such names, by these. One that several nodes read has its own.
llvm::StringMap<const onnx::TensorProto *> findRenamed(const onnx::GraphProto &graph);

} // namespace nacre::importer::onnx_format

#endif // NACRE_COMPILER_IMPORT_ONNX_WEIGHTNAMES_H
