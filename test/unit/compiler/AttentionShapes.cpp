// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One head, a batch of one, two positions, four numbers wide.

#include "test/unit/compiler/AttentionShapes.h"

#include <limits>

using namespace nacre;

namespace {

using Dims = std::vector<int64_t>;

struct Row {
  llvm::StringRef op, firstOperand;
  std::vector<const char *> attributes;
  std::vector<Dims> shapes;
};

const std::vector<Row> &getRows() {
  const Dims x{1, 2, 4}, past{1, 1, 2, 4}, scores{1, 1, 2, 2}, cache{8, 2}, ids{1, 2};
  static const std::vector<Row> rows = {
      {"Attention",
       "Q",
       {"q_num_heads", "kv_num_heads", "is_causal", "left_window_size", "right_window_size", "qk_matmul_output_mode",
        "softmax_precision", "scale", "softcap"},
       {x, x, x, {2, 2}, past, past, {1}}},
      {"Attention",
       "input",
       {"num_heads", "unidirectional", "scale", "mask_filter_value"},
       {x, {4, 12}, {12}, ids, {2, 1, 1, 2, 4}, scores, {1}}},
      {"CausalConvWithState", "input", {"activation"}, {{1, 4, 2}, {4, 1, 3}, {4}, {1, 4, 2}}},
      {"EmbedLayerNormalization", "input_ids", {}, {ids, ids, {5, 4}, {3, 4}, {2, 4}, {4}, {4}, ids, ids}},
      {"GroupQueryAttention",
       "query",
       {"num_heads", "kv_num_heads", "do_rotary", "rotary_interleaved", "local_window_size", "smooth_softmax",
        "softcap", "scale", "causal"},
       {x, x, x, past, past, {1}, {1}, cache, cache, ids, scores, {1}}},
      {"LinearAttention",
       "query",
       {"q_num_heads", "kv_num_heads", "update_rule", "scale"},
       {x, x, x, {1, 1, 4, 4}, {1, 2, 1}, {1, 2, 1}}},
      {"MultiHeadAttention",
       "query",
       {"num_heads", "unidirectional", "scale"},
       {x, x, x, {12}, ids, scores, past, past}},
      {"QAttention",
       "input",
       {"num_heads", "unidirectional", "mask_filter_value"},
       {x, {4, 12}, {12}, {}, {}, ids, {}, {}, {2, 1, 1, 2, 4}}},
      {"QEmbedLayerNormalization",
       "input_ids",
       {},
       {ids, ids, {5, 4}, {3, 4}, {2, 4}, {4}, {4}, ids, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},
      {"RotaryEmbedding", "X", {"num_heads", "interleaved", "rotary_embedding_dim"}, {x, cache, cache, ids}},
      {"RotaryEmbedding", "input", {"num_heads", "interleaved", "rotary_embedding_dim"}, {x, ids, cache, cache}},
  };
  return rows;
}

const Row *findRow(llvm::StringRef op, llvm::StringRef firstOperand) {
  for (const Row &row : getRows())
    if (row.op == op && row.firstOperand == firstOperand)
      return &row;
  return nullptr;
}

} // namespace

std::optional<Dims> nacre::getAttentionShape(llvm::StringRef op, llvm::StringRef firstOperand, size_t index) {
  const Row *row = findRow(op, firstOperand);
  return row ? std::optional(row->shapes[index]) : std::nullopt;
}

void nacre::addAttentionAttributes(Draw &draw, onnx::NodeProto &node, llvm::StringRef firstOperand) {
  const Row *row = findRow(node.op_type(), firstOperand);
  if (!row)
    return;
  for (llvm::StringRef name : row->attributes) {
    bool saysHeads = name.ends_with("num_heads");
    if (!saysHeads && !draw.oneIn(4))
      continue;
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name.str());
    if (name == "scale" || name == "softcap") {
      attribute.set_type(onnx::AttributeProto::FLOAT);
      attribute.set_f(draw.of<float>({0, 1, -1, 0.5, 1e30F, std::numeric_limits<float>::infinity()}));
    } else if (name == "update_rule" || name == "activation") {
      attribute.set_type(onnx::AttributeProto::STRING);
      attribute.set_s(draw.of<const char *>({"linear", "gated", "delta", "silu", "none"}));
    } else {
      attribute.set_type(onnx::AttributeProto::INT);
      attribute.set_i(saysHeads && !draw.oneIn(6) ? draw.of<int64_t>({1, 1, 1, 2}) : draw.integer());
    }
  }
}
