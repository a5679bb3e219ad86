// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/unit/compiler/TfliteOptions.h"

#include "flatbuffers/flexbuffers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace nacre;
using llvm::StringRef;

namespace schema = importer::tflite_format::schema;

namespace {

/// `conv2d` of `Conv2DOptions` and of `CONV_2D`.
std::string toLetters(StringRef name) {
  name.consume_back("Options");
  std::string letters = name.lower();
  llvm::erase(letters, '_');
  return letters;
}

schema::BuiltinOptions findKind(StringRef op) {
  std::string wanted = toLetters(op);
  if (op.ends_with("POOL_2D"))
    wanted = "pool2d";
  else if (op.starts_with("REDUCE_") || op == "MEAN" || op == "SUM")
    wanted = "reducer";
  else if (op == "CONV_3D_TRANSPOSE")
    wanted = "conv3d";
  else if (op.starts_with("RANDOM_"))
    wanted = "random";
  else if (op == "L2_NORMALIZATION")
    wanted = "l2norm";
  for (schema::BuiltinOptions kind : schema::EnumValuesBuiltinOptions())
    if (toLetters(schema::EnumNameBuiltinOptions(kind)) == wanted)
      return kind;
  return schema::BuiltinOptions_NONE;
}

int64_t drawNumber(Draw &draw, StringRef name) {
  const bool isCount = name.contains("stride") || name.contains("filter_") || name.contains("dilation") ||
                       name == "depth_multiplier" || name == "block_size" || name == "radius";
  if (isCount && !draw.oneIn(8))
    return draw.of<int64_t>({1, 1, 2});
  if (name == "num_bits" && !draw.oneIn(8))
    return 8;
  return draw.integer();
}

int8_t drawByte(Draw &draw, StringRef name) {
  if (name.ends_with("type"))
    return draw.of<int8_t>({schema::TensorType_FLOAT32, schema::TensorType_INT32, schema::TensorType_INT64,
                            schema::TensorType_INT8, schema::TensorType_BOOL, schema::TensorType_UINT8,
                            schema::TensorType_STRING});
  return draw.oneIn(20) ? draw.of<int8_t>({-1, 4, 5, 6, 127}) : draw.of<int8_t>({0, 0, 1, 1, 2, 3});
}

} // namespace

DrawnOptions nacre::drawOptions(Draw &draw, flatbuffers::FlatBufferBuilder &builder, StringRef op, size_t rank) {
  const schema::BuiltinOptions kind = findKind(op);
  if (kind == schema::BuiltinOptions_NONE || draw.oneIn(20))
    return {schema::BuiltinOptions_NONE, 0};
  const flatbuffers::TypeTable &kinds = *schema::BuiltinOptionsTypeTable();
  const flatbuffers::TypeTable &fields = *kinds.type_refs[kinds.type_codes[kind].sequence_ref]();
  // Lists lie before the table that refers to them.
  std::vector<flatbuffers::Offset<void>> lists(fields.num_elems);
  for (size_t index = 0; index < fields.num_elems; ++index) {
    if (!fields.type_codes[index].is_repeating)
      continue;
    const bool isReal = fields.type_codes[index].base_type == flatbuffers::ET_FLOAT;
    std::vector<int32_t> integers(draw.below(rank + 2));
    std::vector<float> reals(draw.below(4));
    for (int32_t &integer : integers)
      integer = int32_t(draw.integer());
    for (float &real : reals)
      real = draw.real();
    lists[index] = isReal ? builder.CreateVector(reals).Union() : builder.CreateVector(integers).Union();
  }
  builder.ForceDefaults(true);
  const flatbuffers::uoffset_t start = builder.StartTable();
  for (size_t index = 0; index < fields.num_elems; ++index) {
    const auto place = flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(index));
    StringRef name = fields.names[index];
    const bool isNeeded = name.contains("stride_") || name.contains("filter_") || name == "block_size";
    if (draw.oneIn(isNeeded ? 16 : 2))
      continue;
    if (fields.type_codes[index].is_repeating)
      builder.AddOffset(place, lists[index]);
    else if (fields.type_codes[index].base_type == flatbuffers::ET_FLOAT)
      builder.AddElement<float>(place, draw.real(), 0);
    else if (fields.type_codes[index].base_type == flatbuffers::ET_INT)
      builder.AddElement<int32_t>(place, int32_t(drawNumber(draw, name)), 0);
    else if (fields.type_codes[index].base_type == flatbuffers::ET_LONG)
      builder.AddElement<int64_t>(place, draw.integer(), 0);
    else if (fields.type_codes[index].base_type == flatbuffers::ET_BOOL)
      builder.AddElement<uint8_t>(place, draw.oneIn(2), 0);
    else
      builder.AddElement<int8_t>(place, drawByte(draw, name), 0);
  }
  const flatbuffers::Offset<void> table(builder.EndTable(start));
  builder.ForceDefaults(false);
  return {kind, table};
}

std::vector<uint8_t> nacre::drawCustomOptions(Draw &draw) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    for (const char *name : {"max_detections", "max_classes_per_detection", "num_classes", "detections_per_class"})
      if (!draw.oneIn(20))
        builder.Int(name, draw.oneIn(20) ? draw.integer() : draw.of<int64_t>({1, 2, 2, 3}));
    for (const char *name : {"y_scale", "x_scale", "h_scale", "w_scale", "nms_iou_threshold", "nms_score_threshold"})
      if (draw.oneIn(40))
        builder.Double(name, draw.real());
      else if (!draw.oneIn(40))
        builder.IndirectFloat(name, draw.of<float>({0.5, 1, 0.25}));
    if (draw.oneIn(2))
      builder.Bool("use_regular_nms", draw.oneIn(2));
    if (draw.oneIn(20))
      builder.String(draw.oneIn(2) ? "_name" : "name", "a");
  });
  builder.Finish();
  std::vector<uint8_t> bytes = builder.GetBuffer();
  if (draw.oneIn(8))
    bytes[draw.below(bytes.size())] = uint8_t(draw.integer());
  return bytes;
}
