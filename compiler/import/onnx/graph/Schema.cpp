// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields of ONNX's messages that the reader needs, for the wire scan.

#include "compiler/import/onnx/graph/Schema.h"

namespace nacre::importer::onnx_format {
namespace {

enum Message : uint8_t {
  Model,
  OperatorSet,
  Graph,
  Node,
  Attribute,
  Tensor,
  SparseTensor,
  Entry,
  ValueInfo,
  Type,
  TensorType,
  Optional,
  Shape,
  Dimension,
  Function,
  Training,
};

/// Fields to keep. Other fields are texts for people, or the importer computes their contents itself.
constexpr WireField fields[] = {
    {Model, 1, WireKeep::Copy},                     // ir_version
    {Model, 7, WireKeep::Enter, Graph},             // graph
    {Model, 8, WireKeep::Enter, OperatorSet},       // opset_import
    {Model, 20, WireKeep::Enter, Training},         // training_info
    {Model, 25, WireKeep::Enter, Function},         // functions
    {OperatorSet, 1, WireKeep::Copy},               // domain
    {OperatorSet, 2, WireKeep::Copy},               // version
    {Graph, 1, WireKeep::Enter, Node},              // node
    {Graph, 2, WireKeep::Copy},                     // name
    {Graph, 5, WireKeep::Enter, Tensor},            // initializer
    {Graph, 11, WireKeep::Enter, ValueInfo},        // input
    {Graph, 12, WireKeep::Enter, ValueInfo},        // output
    {Graph, 15, WireKeep::Enter, SparseTensor},     // sparse_initializer
    {Node, 1, WireKeep::Copy},                      // input
    {Node, 2, WireKeep::Copy},                      // output
    {Node, 3, WireKeep::Copy},                      // name
    {Node, 4, WireKeep::Copy},                      // op_type
    {Node, 5, WireKeep::Enter, Attribute},          // attribute
    {Node, 7, WireKeep::Copy},                      // domain
    {Node, 8, WireKeep::Copy},                      // overload
    {Attribute, 1, WireKeep::Copy},                 // name
    {Attribute, 2, WireKeep::Copy},                 // f
    {Attribute, 3, WireKeep::Copy},                 // i
    {Attribute, 4, WireKeep::Copy},                 // s
    {Attribute, 5, WireKeep::Enter, Tensor},        // t
    {Attribute, 6, WireKeep::Enter, Graph},         // g
    {Attribute, 7, WireKeep::Numbers},              // floats
    {Attribute, 8, WireKeep::Numbers},              // ints
    {Attribute, 9, WireKeep::Copy},                 // strings
    {Attribute, 20, WireKeep::Copy},                // type
    {Attribute, 22, WireKeep::Enter, SparseTensor}, // sparse_tensor
    {Attribute, 21, WireKeep::Copy},                // ref_attr_name
    {Tensor, 1, WireKeep::Numbers},                 // dims
    {Tensor, 2, WireKeep::Copy},                    // data_type
    {Tensor, 3, WireKeep::Refuse},                  // segment
    {Tensor, 4, WireKeep::Leave},                   // float_data
    {Tensor, 5, WireKeep::Leave},                   // int32_data
    {Tensor, 7, WireKeep::Leave},                   // int64_data
    {Tensor, 8, WireKeep::Copy},                    // name
    {Tensor, 9, WireKeep::Leave},                   // raw_data
    {Tensor, 10, WireKeep::Leave},                  // double_data
    {Tensor, 11, WireKeep::Leave},                  // uint64_data
    {Tensor, 13, WireKeep::Enter, Entry},           // external_data
    {Tensor, 14, WireKeep::Copy},                   // data_location
    {SparseTensor, 1, WireKeep::Enter, Tensor},     // values
    {SparseTensor, 2, WireKeep::Enter, Tensor},     // indices
    {SparseTensor, 3, WireKeep::Numbers},           // dims
    {Entry, 1, WireKeep::Copy},                     // key
    {Entry, 2, WireKeep::Copy},                     // value
    {ValueInfo, 1, WireKeep::Copy},                 // name
    {ValueInfo, 2, WireKeep::Enter, Type},          // type
    {Type, 1, WireKeep::Enter, TensorType},         // tensor_type
    {Type, 9, WireKeep::Enter, Optional},           // optional_type
    {Optional, 1, WireKeep::Enter, Type},           // elem_type
    {TensorType, 1, WireKeep::Copy},                // elem_type
    {TensorType, 2, WireKeep::Enter, Shape},        // shape
    {Shape, 1, WireKeep::Enter, Dimension},         // dim
    {Dimension, 1, WireKeep::Copy},                 // dim_value
    {Dimension, 2, WireKeep::Copy},                 // dim_param
    {Function, 1, WireKeep::Copy},                  // name
    {Function, 4, WireKeep::Copy},                  // input
    {Function, 5, WireKeep::Copy},                  // output
    {Function, 6, WireKeep::Copy},                  // attribute
    {Function, 7, WireKeep::Enter, Node},           // node
    {Function, 9, WireKeep::Enter, OperatorSet},    // opset_import
    {Function, 10, WireKeep::Copy},                 // domain
    {Function, 11, WireKeep::Enter, Attribute},     // attribute_proto
    {Function, 13, WireKeep::Copy},                 // overload
    {Training, 2, WireKeep::Enter, Graph},          // algorithm
    {Training, 4, WireKeep::Enter, Entry},          // update_binding
};

/// Size of protobuf's class for each message, in bytes.
constexpr uint16_t costs[] = {48, 48, 768, 160, 256, 256, 96, 48, 48, 48, 48, 48, 48, 48, 256, 96};

constexpr uint32_t segmentField = 3;

} // namespace

llvm::Expected<WireSkeleton> scanWire(llvm::StringRef file, WireRoot root, uint64_t memoryBudget) {
  static_assert(std::size(costs) == Training + 1);
  const WireSchema schema = {fields, costs, "an ONNX model", segmentField,
                             "a segmented tensor is not supported; store it in one piece"};
  return importer::scanWire(file, schema, root == WireRoot::Model ? Model : Tensor, memoryBudget);
}

} // namespace nacre::importer::onnx_format
