// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The results of TensorFlow's operators: their number, names and types.

#include "compiler/import/tensorflow/graph/Results.h"

#include "compiler/import/tensorflow/graph/CheckedGraph.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::SmallVector;
using llvm::StringRef;
using tensorflow::DataType;

namespace nacre::importer::tensorflow_format {
namespace {

/// A row of the table. `results` are words of the form name*count=type. `count` is the name of an attribute with the
/// number of results or a list of their types. Without `count`, there is one result. `type` is a type or the name of an
/// attribute; the default is T. In out_type|int32, int32 applies if the node does not have the attribute out_type.
struct Row {
  const char *ops; ///< separated by blanks
  const char *results;
};

constexpr Row rows[] = {
    // Operators without results.
    {"NoOp Assert DisableCopyOnRead Save SaveV2 SaveSlices WriteFile ControlTrigger", ""},
    {"AssignVariableOp AssignAddVariableOp AssignSubVariableOp InitializeTableFromTextFileV2", ""},
    // Operators with one result, whose type is not T.
    {"Placeholder PlaceholderV2 PlaceholderWithDefault Const Variable VariableV2 ReadVariableOp", "output=dtype"},
    {"ResourceGather ResourceGatherNd", "output=dtype"},
    {"RandomUniform RandomStandardNormal TruncatedNormal TensorArrayReadV3 TensorArrayGatherV3", "output=dtype"},
    {"Equal NotEqual Less LessEqual Greater GreaterEqual ApproximateEqual", "z=bool"},
    {"LogicalAnd LogicalOr LogicalNot IsFinite IsInf IsNan All Any InTopK InTopKV2 LoopCond", "output=bool"},
    {"Cast", "y=DstT"},
    {"Bitcast", "output=type"},
    {"Shape Size", "output=out_type|int32"},
    {"Rank", "output=int32"},
    {"ArgMax ArgMin", "output=output_type|int64"},
    {"Range", "output=Tidx|int32"},
    {"Where", "index=int64"},
    {"ResizeBilinear ResizeBicubic ResizeArea CropAndResize AudioSpectrogram Mfcc", "output=float"},
    {"Dequantize", "output=dtype|float"},
    {"RFFT", "output=Tcomplex|complex64"},
    {"IRFFT", "output=Treal|float"},
    {"Real Imag ComplexAbs Angle", "output=Tout|float"},
    {"Complex", "out=Tout|complex64"},
    {"HistogramFixedWidth", "out=dtype|int32"},
    {"NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3", "selected_indices=int32"},
    {"DecodeJpeg DecodePng DecodeBmp DecodeGif DecodeImage", "image=uint8"},
    {"ReadFile AsString StringJoin StringFormat EncodeBase64 DecodeBase64 Substr", "output=string"},
    {"VarHandleOp HashTable HashTableV2 MutableHashTableV2", "resource=resource"},
    {"EmptyTensorList TensorListReserve TensorListSetItem TensorListFromTensor TensorListPushBack", "handle=variant"},
    {"TensorListStack TensorListGetItem TensorListGather", "item=element_dtype"},
    {"TensorArrayWriteV3 TensorArrayScatterV3 TensorArraySplitV3", "flow_out=float"},
    {"TensorArraySizeV3", "size=int32"},
    // Operators with several results.
    {"TensorArrayV3", "handle=resource flow=float"},
    {"TensorArrayConcatV3", "value=dtype lengths=int64"},
    {"TensorListPopBack", "output_handle=variant tensor=element_dtype"},
    {"Split SplitV", "output*num_split"},
    {"Unpack", "output*num"},
    {"IdentityN", "output*T"},
    {"ShapeN", "output*N=out_type|int32"},
    {"ConcatOffset", "offset*N=int32"},
    {"RestoreV2", "tensors*dtypes"},
    {"PartitionedCall StatefulPartitionedCall If StatelessIf Case StatelessCase PyFunc", "output*Tout"},
    {"While StatelessWhile", "output*T"},
    {"Switch RefSwitch", "output_false output_true"},
    {"Merge RefMerge", "output value_index=int32"},
    {"TopK", "values indices=int32"},
    {"TopKV2", "values indices=index_type|int32"},
    {"Unique UniqueV2", "y idx=out_idx|int32"},
    {"UniqueWithCounts UniqueWithCountsV2", "y idx=out_idx|int32 count=out_idx|int32"},
    {"ListDiff", "out idx=out_idx|int32"},
    {"DynamicPartition", "outputs*num_partitions"},
    {"FusedBatchNorm", "y batch_mean batch_variance reserve_space_1 reserve_space_2"},
    {"FusedBatchNormV2", "y batch_mean=U batch_variance=U reserve_space_1=U reserve_space_2=U"},
    {"FusedBatchNormV3", "y batch_mean=U batch_variance=U reserve_space_1=U reserve_space_2=U reserve_space_3=U"},
    {"MaxPoolWithArgmax", "output argmax=Targmax|int64"},
    {"SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits", "loss backprop"},
    {"LSTMBlockCell BlockLSTM BlockLSTMV2", "i cs f o ci co h"},
    {"GRUBlockCell", "r u c h"},
    {"NonMaxSuppressionV4", "selected_indices=int32 valid_outputs=int32"},
    {"NonMaxSuppressionV5", "selected_indices=int32 selected_scores valid_outputs=int32"},
    {"BroadcastGradientArgs", "r0 r1"},
    {"DecodeWav", "audio=float sample_rate=int32"},
    {"QuantizeV2 QuantizedConv2D QuantizedMatMul QuantizedRelu", "output output_min=float output_max=float"},
    {"FusedBatchNormGrad", "x_backprop scale_backprop offset_backprop reserve_space_3 reserve_space_4"},
    {"FusedBatchNormGradV2 FusedBatchNormGradV3",
     "x_backprop scale_backprop=U offset_backprop=U reserve_space_3=U reserve_space_4=U"},
    // Optimizers, whose results are the variables after the step. In the file, a node has no result or only the first
    // one, a reference.
    {"ApplyMomentum ApplyKerasMomentum ApplyAdagrad ApplyAdagradV2 ResourceApplyMomentum ResourceApplyKerasMomentum "
     "ResourceApplyAdagrad ResourceApplyAdagradV2",
     "var accum"},
    {"ApplyAdam ApplyAdaMax ApplyAdadelta ApplyRMSProp ResourceApplyAdam ResourceApplyAdaMax ResourceApplyAdadelta "
     "ResourceApplyRMSProp",
     "var first second"},
    {"ApplyAdamWithAmsgrad ApplyCenteredRMSProp ResourceApplyAdamWithAmsgrad ResourceApplyCenteredRMSProp",
     "var first second third"},
    {"Svd", "s u v"},
    {"Lu", "lu p=output_idx_type|int32"},
    {"Qr", "q r"},
    {"SelfAdjointEigV2", "e v"},
    {"LogMatrixDeterminant", "sign log_abs_determinant"},
};

StringRef findRow(StringRef op) {
  static const llvm::StringMap<StringRef> table = [] {
    llvm::StringMap<StringRef> result;
    for (const Row &row : rows)
      for (StringRef op : llvm::split(row.ops, ' '))
        result[op] = row.results;
    return result;
  }();
  auto found = table.find(op);
  return found == table.end() ? "=T" : found->second;
}

/// A result of a node, or several results with one name: a word of a row.
struct Result {
  StringRef name;
  StringRef count; ///< attribute with the number of results; empty for one result
  StringRef type;  ///< type, or attribute with the type; by default "T"
};

SmallVector<Result, 4> parseRow(StringRef op) {
  SmallVector<Result, 4> results;
  SmallVector<StringRef, 4> words;
  findRow(op).split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    auto [left, type] = word.split('=');
    auto [name, count] = left.split('*');
    results.push_back({name, count, type.empty() ? "T" : type});
  }
  return results;
}

/// Largest number of results that a node may have. The limit protects against malicious files.
constexpr int mostResults = 4096;

int count(const tensorflow::NodeDef &node, const Result &result) {
  if (result.count.empty())
    return 1;
  const tensorflow::AttrValue *attribute = findAttribute(node, result.count);
  if (!attribute)
    return 0;
  int64_t number = attribute->has_list() ? attribute->list().type_size() : attribute->i();
  return static_cast<int>(std::clamp<int64_t>(number, 0, mostResults));
}

DataType parseType(StringRef word) {
  return llvm::StringSwitch<DataType>(word)
      .Case("float", tensorflow::DT_FLOAT)
      .Case("int32", tensorflow::DT_INT32)
      .Case("int64", tensorflow::DT_INT64)
      .Case("uint8", tensorflow::DT_UINT8)
      .Case("bool", tensorflow::DT_BOOL)
      .Case("complex64", tensorflow::DT_COMPLEX64)
      .Case("string", tensorflow::DT_STRING)
      .Case("resource", tensorflow::DT_RESOURCE)
      .Case("variant", tensorflow::DT_VARIANT)
      .Default(tensorflow::DT_INVALID);
}

/// Returns the type of the result with index `index` among the results of one word.
DataType getType(const tensorflow::NodeDef &node, const Result &result, int index) {
  auto [word, missing] = result.type.split('|');
  if (DataType type = parseType(word))
    return type;
  // If `count` is a list of types, it contains the types of the results. Otherwise, the type is an attribute: T in most
  // operators, dtype in others.
  const tensorflow::AttrValue *attribute = result.count.empty() ? nullptr : findAttribute(node, result.count);
  for (StringRef name : {word, StringRef("dtype")})
    if (!attribute || !(attribute->has_list() || attribute->value_case() == tensorflow::AttrValue::kType))
      attribute = findAttribute(node, name);
  if (!attribute)
    return parseType(missing);
  if (!attribute->has_list())
    return attribute->type();
  return index < attribute->list().type_size() ? attribute->list().type(index) : tensorflow::DT_INVALID;
}

} // namespace

SmallVector<ResultGroup, 1> getResultGroups(const tensorflow::NodeDef &node) {
  SmallVector<ResultGroup, 1> groups;
  for (const Result &result : parseRow(node.op()))
    groups.push_back({result.name, count(node, result)});
  return groups;
}

int countResults(const tensorflow::NodeDef &node) {
  int total = 0;
  for (const Result &result : parseRow(node.op()))
    total += count(node, result);
  return total;
}

std::optional<int> findResult(const tensorflow::NodeDef &node, StringRef group, int index) {
  int first = 0;
  for (const ResultGroup &candidate : getResultGroups(node)) {
    if (candidate.name.empty() || candidate.name == group)
      return index >= 0 && index < candidate.count ? std::optional(first + index) : std::nullopt;
    first += candidate.count;
  }
  // If there is only one result, its name does not matter.
  return first == 1 && index == 0 ? std::optional(0) : std::nullopt;
}

DataType getResultType(const tensorflow::NodeDef &node, int result) {
  int first = 0;
  for (const Result &candidate : parseRow(node.op())) {
    int number = count(node, candidate);
    if (result < first + number)
      return getType(node, candidate, result - first);
    first += number;
  }
  return tensorflow::DT_INVALID;
}

} // namespace nacre::importer::tensorflow_format
