// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of TensorFlow's messages that the reader needs, for the wire scan.
//
// Messages that have the same fields, but different names in TensorFlow, share rows of this table.

#include "compiler/import/tensorflow/graph/Schema.h"

namespace nacre::importer::tensorflow_format {
namespace {

enum Message : uint8_t {
  Graph,
  Node,
  Versions,
  AttrEntry,
  AttrValue,
  List,
  Function,
  Shape,
  Dim,
  Tensor,
  Library,
  FunctionDef,
  ArgEntry,
  ArgAttrs,
  IdEntry,
  Text,
  OpDef,
  ArgDef,
  AttrDef,
  Saved,
  Meta,
  MetaInfo,
  OpList,
  Saver,
  CollectionEntry,
  Collection,
  Names,
  SignatureEntry,
  Signature,
  InfoEntry,
  Info,
  TensorEntry,
  Asset,
  ObjectGraph,
  Object,
  Reference,
  Word,
  AssetIndex,
  Variable,
  ConcreteEntry,
  Concrete,
  Trackables,
  Trackable,
  Attribute,
  Header,
  Entry,
  Slice,
  Extent,
};

/// Fields to read. Descriptions, devices and complex numbers are left out.
constexpr WireField fields[] = {
    {Graph, 1, WireKeep::Enter, Node},                 // node
    {Graph, 2, WireKeep::Enter, Library},              // library
    {Graph, 4, WireKeep::Enter, Versions},             // versions
    {Node, 1, WireKeep::Copy},                         // name
    {Node, 2, WireKeep::Copy},                         // op
    {Node, 3, WireKeep::Copy},                         // input
    {Node, 5, WireKeep::Enter, AttrEntry},             // attr
    {Versions, 1, WireKeep::Copy},                     // producer
    {Versions, 2, WireKeep::Copy},                     // min_consumer
    {AttrEntry, 1, WireKeep::Copy},                    // key
    {AttrEntry, 2, WireKeep::Enter, AttrValue},        // value
    {AttrValue, 1, WireKeep::Enter, List},             // list
    {AttrValue, 2, WireKeep::Copy},                    // s
    {AttrValue, 3, WireKeep::Copy},                    // i
    {AttrValue, 4, WireKeep::Copy},                    // f
    {AttrValue, 5, WireKeep::Copy},                    // b
    {AttrValue, 6, WireKeep::Copy},                    // type
    {AttrValue, 7, WireKeep::Enter, Shape},            // shape
    {AttrValue, 8, WireKeep::Enter, Tensor},           // tensor
    {AttrValue, 9, WireKeep::Copy},                    // placeholder
    {AttrValue, 10, WireKeep::Enter, Function},        // func
    {List, 2, WireKeep::Copy},                         // s
    {List, 3, WireKeep::Numbers},                      // i
    {List, 4, WireKeep::Numbers},                      // f
    {List, 5, WireKeep::Numbers},                      // b
    {List, 6, WireKeep::Numbers},                      // type
    {List, 7, WireKeep::Enter, Shape},                 // shape
    {List, 8, WireKeep::Enter, Tensor},                // tensor
    {List, 9, WireKeep::Enter, Function},              // func
    {Function, 1, WireKeep::Copy},                     // name
    {Function, 2, WireKeep::Enter, AttrEntry},         // attr
    {Shape, 2, WireKeep::Enter, Dim},                  // dim
    {Shape, 3, WireKeep::Copy},                        // unknown_rank
    {Dim, 1, WireKeep::Copy},                          // size
    {Dim, 2, WireKeep::Copy},                          // name
    {Tensor, 1, WireKeep::Copy},                       // dtype
    {Tensor, 2, WireKeep::Enter, Shape},               // tensor_shape
    {Tensor, 4, WireKeep::Leave},                      // tensor_content
    {Tensor, 5, WireKeep::Leave},                      // float_val
    {Tensor, 6, WireKeep::Leave},                      // double_val
    {Tensor, 7, WireKeep::Leave},                      // int_val
    {Tensor, 8, WireKeep::Copy},                       // string_val
    {Tensor, 10, WireKeep::Leave},                     // int64_val
    {Tensor, 11, WireKeep::Leave},                     // bool_val
    {Tensor, 13, WireKeep::Leave},                     // half_val
    {Tensor, 16, WireKeep::Leave},                     // uint32_val
    {Tensor, 17, WireKeep::Leave},                     // uint64_val
    {Library, 1, WireKeep::Enter, FunctionDef},        // function
    {FunctionDef, 1, WireKeep::Enter, OpDef},          // signature
    {FunctionDef, 3, WireKeep::Enter, Node},           // node_def
    {FunctionDef, 4, WireKeep::Enter, Text},           // ret
    {FunctionDef, 5, WireKeep::Enter, AttrEntry},      // attr
    {FunctionDef, 6, WireKeep::Enter, Text},           // control_ret
    {FunctionDef, 7, WireKeep::Enter, ArgEntry},       // arg_attr
    {FunctionDef, 8, WireKeep::Enter, IdEntry},        // resource_arg_unique_id
    {ArgEntry, 1, WireKeep::Copy},                     // key
    {ArgEntry, 2, WireKeep::Enter, ArgAttrs},          // value
    {ArgAttrs, 1, WireKeep::Enter, AttrEntry},         // attr
    {IdEntry, 1, WireKeep::Copy},                      // key
    {IdEntry, 2, WireKeep::Copy},                      // value
    {Text, 1, WireKeep::Copy},                         // key
    {Text, 2, WireKeep::Copy},                         // value
    {OpDef, 1, WireKeep::Copy},                        // name
    {OpDef, 2, WireKeep::Enter, ArgDef},               // input_arg
    {OpDef, 3, WireKeep::Enter, ArgDef},               // output_arg
    {OpDef, 4, WireKeep::Enter, AttrDef},              // attr
    {OpDef, 17, WireKeep::Copy},                       // is_stateful
    {OpDef, 20, WireKeep::Copy},                       // control_output
    {ArgDef, 1, WireKeep::Copy},                       // name
    {ArgDef, 3, WireKeep::Copy},                       // type
    {ArgDef, 4, WireKeep::Copy},                       // type_attr
    {ArgDef, 5, WireKeep::Copy},                       // number_attr
    {ArgDef, 6, WireKeep::Copy},                       // type_list_attr
    {ArgDef, 16, WireKeep::Copy},                      // is_ref
    {AttrDef, 1, WireKeep::Copy},                      // name
    {AttrDef, 2, WireKeep::Copy},                      // type
    {AttrDef, 3, WireKeep::Enter, AttrValue},          // default_value
    {Saved, 1, WireKeep::Copy},                        // saved_model_schema_version
    {Saved, 2, WireKeep::Enter, Meta},                 // meta_graphs
    {Meta, 1, WireKeep::Enter, MetaInfo},              // meta_info_def
    {Meta, 2, WireKeep::Enter, Graph},                 // graph_def
    {Meta, 3, WireKeep::Enter, Saver},                 // saver_def
    {Meta, 4, WireKeep::Enter, CollectionEntry},       // collection_def
    {Meta, 5, WireKeep::Enter, SignatureEntry},        // signature_def
    {Meta, 6, WireKeep::Enter, Asset},                 // asset_file_def
    {Meta, 7, WireKeep::Enter, ObjectGraph},           // object_graph_def
    {MetaInfo, 2, WireKeep::Enter, OpList},            // stripped_op_list
    {MetaInfo, 4, WireKeep::Copy},                     // tags
    {MetaInfo, 5, WireKeep::Copy},                     // tensorflow_version
    {MetaInfo, 7, WireKeep::Copy},                     // stripped_default_attrs
    {OpList, 1, WireKeep::Enter, OpDef},               // op
    {Saver, 1, WireKeep::Copy},                        // filename_tensor_name
    {Saver, 2, WireKeep::Copy},                        // save_tensor_name
    {Saver, 3, WireKeep::Copy},                        // restore_op_name
    {Saver, 7, WireKeep::Copy},                        // version
    {CollectionEntry, 1, WireKeep::Copy},              // key
    {CollectionEntry, 2, WireKeep::Enter, Collection}, // value
    {Collection, 1, WireKeep::Enter, Names},           // node_list
    {Collection, 2, WireKeep::Enter, Names},           // bytes_list
    {Names, 1, WireKeep::Copy},                        // value
    {SignatureEntry, 1, WireKeep::Copy},               // key
    {SignatureEntry, 2, WireKeep::Enter, Signature},   // value
    {Signature, 1, WireKeep::Enter, InfoEntry},        // inputs
    {Signature, 2, WireKeep::Enter, InfoEntry},        // outputs
    {Signature, 3, WireKeep::Copy},                    // method_name
    {Signature, 4, WireKeep::Enter, TensorEntry},      // defaults
    {InfoEntry, 1, WireKeep::Copy},                    // key
    {InfoEntry, 2, WireKeep::Enter, Info},             // value
    {Info, 1, WireKeep::Copy},                         // name
    {Info, 2, WireKeep::Copy},                         // dtype
    {Info, 3, WireKeep::Enter, Shape},                 // tensor_shape
    {TensorEntry, 1, WireKeep::Copy},                  // key
    {TensorEntry, 2, WireKeep::Enter, Tensor},         // value
    {Asset, 1, WireKeep::Enter, Info},                 // tensor_info
    {Asset, 2, WireKeep::Copy},                        // filename
    {ObjectGraph, 1, WireKeep::Enter, Object},         // nodes
    {ObjectGraph, 2, WireKeep::Enter, ConcreteEntry},  // concrete_functions
    {Object, 1, WireKeep::Enter, Reference},           // children
    {Object, 4, WireKeep::Enter, Word},                // user_object
    {Object, 5, WireKeep::Enter, AssetIndex},          // asset
    {Object, 6, WireKeep::Enter, Names},               // function
    {Object, 7, WireKeep::Enter, Variable},            // variable
    {Object, 8, WireKeep::Enter, Word},                // bare_concrete_function
    {Object, 9, WireKeep::Enter, Word},                // constant
    {Object, 10, WireKeep::Enter, Word},               // resource
    {Object, 12, WireKeep::Enter, Text},               // captured_tensor
    {Reference, 1, WireKeep::Copy},                    // node_id
    {Reference, 2, WireKeep::Copy},                    // local_name
    {Word, 1, WireKeep::Copy},                         // its only text
    {AssetIndex, 1, WireKeep::Copy},                   // asset_file_def_index
    {Variable, 1, WireKeep::Copy},                     // dtype
    {Variable, 2, WireKeep::Enter, Shape},             // shape
    {Variable, 3, WireKeep::Copy},                     // trainable
    {Variable, 6, WireKeep::Copy},                     // name
    {ConcreteEntry, 1, WireKeep::Copy},                // key
    {ConcreteEntry, 2, WireKeep::Enter, Concrete},     // value
    {Concrete, 2, WireKeep::Numbers},                  // bound_inputs
    {Trackables, 1, WireKeep::Enter, Trackable},       // nodes
    {Trackable, 1, WireKeep::Enter, Reference},        // children
    {Trackable, 2, WireKeep::Enter, Attribute},        // attributes
    {Attribute, 1, WireKeep::Copy},                    // name
    {Attribute, 2, WireKeep::Copy},                    // full_name
    {Attribute, 3, WireKeep::Copy},                    // checkpoint_key
    {Header, 1, WireKeep::Copy},                       // num_shards
    {Header, 2, WireKeep::Copy},                       // endianness
    {Header, 3, WireKeep::Enter, Versions},            // version
    {Entry, 1, WireKeep::Copy},                        // dtype
    {Entry, 2, WireKeep::Enter, Shape},                // shape
    {Entry, 3, WireKeep::Copy},                        // shard_id
    {Entry, 4, WireKeep::Copy},                        // offset
    {Entry, 5, WireKeep::Copy},                        // size
    {Entry, 6, WireKeep::Copy},                        // crc32c
    {Entry, 7, WireKeep::Enter, Slice},                // slices
    {Slice, 1, WireKeep::Enter, Extent},               // extent
    {Extent, 1, WireKeep::Copy},                       // start
    {Extent, 2, WireKeep::Copy},                       // length
};

/// Size in bytes of protobuf's class for each message. The size for nodes includes other data about a node.
constexpr uint16_t costs[] = {256, 400, 64, 64, 64,  256, 96, 64, 48, 400, 96, 320, 64,  64, 48, 64,
                              256, 96,  96, 64, 320, 128, 64, 96, 64, 64,  64, 64,  128, 64, 64, 64,
                              64,  96,  96, 48, 48,  48,  64, 64, 64, 64,  96, 64,  64,  96, 64, 48};

/// The message of each WireRoot.
constexpr Message roots[] = {Graph, Meta, Saved, Trackables, Tensor, Header, Entry};

constexpr uint32_t payloadsField = 1000;

} // namespace

llvm::Expected<WireSkeleton> scanWire(llvm::StringRef file, WireRoot root, uint64_t memoryBudget) {
  static_assert(std::size(costs) == Extent + 1);
  const WireSchema schema = {fields, costs, "a TensorFlow file", payloadsField};
  return importer::scanWire(file, schema, roots[static_cast<size_t>(root)], memoryBudget);
}

} // namespace nacre::importer::tensorflow_format
