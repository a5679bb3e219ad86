// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes numbers in the tables of a TensorFlow Lite model.
//
// How:  flatc's tables of types lead to every number that there is; some of them get another value, a usual one
//       or an absurd one, in place: references stay as they are, so the verifier lets it through. Operators and
//       element types become any that there is.

#include "test/fuzz/MutateTables.h"

#include <flatbuffers/flatbuffers.h>
#include <flatbuffers/minireflect.h>
#include <tflite_generated.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace schema = nacre::importer::tflite_format::schema;

namespace {

struct Number {
  const uint8_t *place;
  flatbuffers::ElementaryType type;
  size_t choices = 0; ///< Number of values of an enumeration: an operator, an element type
};

/// Collects where numbers are.
class Collector : public flatbuffers::IterationVisitor {
public:
  std::vector<Number> numbers;

  void Field(size_t, size_t, flatbuffers::ElementaryType type, bool isVector, const flatbuffers::TypeTable *table,
             const char *, const uint8_t *value) override {
    if (!isVector)
      add(type, value, table && table->st == flatbuffers::ST_ENUM ? table->num_elems : 0);
  }
  void Element(size_t, flatbuffers::ElementaryType type, const flatbuffers::TypeTable *,
               const uint8_t *value) override {
    if (type != flatbuffers::ET_UCHAR) // weights, which are most of a model
      add(type, value);
  }

private:
  void add(flatbuffers::ElementaryType type, const uint8_t *value, size_t choices = 0) {
    // Kinds of unions say what a table is; texts and tables are places.
    const bool isNumber =
        type != flatbuffers::ET_UTYPE && type != flatbuffers::ET_STRING && type != flatbuffers::ET_SEQUENCE;
    if (value && isNumber)
      numbers.push_back({value, type, choices});
  }
};

int64_t drawInteger(std::mt19937 &random) {
  constexpr int64_t some[] = {-1,  0,   1,  2,    3,    4,     7,         8,         16,       127,
                              128, 255, -2, -128, 1000, 65536, INT32_MAX, INT32_MIN, INT64_MAX};
  return random() % 3 ? static_cast<int64_t>(random() % 12) : some[random() % std::size(some)];
}

template <typename T> void write(uint8_t *place, T value) { std::memcpy(place, &value, sizeof value); }

void redraw(std::mt19937 &random, uint8_t *place, const Number &number) {
  constexpr float floats[] = {0,
                              1,
                              -1,
                              0.5F,
                              1e-30F,
                              1e30F,
                              std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN(),
                              0.003F,
                              6};
  const int64_t integer = number.choices ? static_cast<int64_t>(random() % number.choices) : drawInteger(random);
  switch (number.type) {
  case flatbuffers::ET_FLOAT:
    return write(place, floats[random() % std::size(floats)]);
  case flatbuffers::ET_BOOL:
    return write(place, static_cast<uint8_t>(random() % 2));
  case flatbuffers::ET_CHAR:
  case flatbuffers::ET_UCHAR:
    return write(place, static_cast<int8_t>(integer));
  case flatbuffers::ET_INT:
  case flatbuffers::ET_UINT:
    return write(place, static_cast<int32_t>(integer));
  case flatbuffers::ET_LONG:
  case flatbuffers::ET_ULONG:
    return write(place, integer);
  default:
    return;
  }
}

/// Returns whether the kinds of a sparse tensor's lists are known.
bool hasKnownLists(const schema::SparsityParameters &sparsity) {
  for (size_t level = 0; sparsity.dim_metadata() && level < sparsity.dim_metadata()->size(); ++level) {
    const schema::DimensionMetadata &stated = *sparsity.dim_metadata()->Get(level);
    if (std::max(stated.array_segments_type(), stated.array_indices_type()) > schema::SparseIndexVector_MAX)
      return false;
  }
  return true;
}

/// Returns whether the kinds of all unions are known: the tables of types have no others.
bool hasKnownKinds(const schema::Model &model) {
  for (size_t index = 0; model.subgraphs() && index < model.subgraphs()->size(); ++index) {
    const schema::SubGraph &graph = *model.subgraphs()->Get(index);
    for (size_t op = 0; graph.operators() && op < graph.operators()->size(); ++op)
      if (graph.operators()->Get(op)->builtin_options_type() > schema::BuiltinOptions_MAX)
        return false;
    for (size_t at = 0; graph.tensors() && at < graph.tensors()->size(); ++at) {
      const schema::Tensor &tensor = *graph.tensors()->Get(at);
      if (tensor.quantization() && tensor.quantization()->details_type() > schema::QuantizationDetails_MAX)
        return false;
      if (tensor.sparsity() && !hasKnownLists(*tensor.sparsity()))
        return false;
    }
  }
  return true;
}

} // namespace

bool hasTables(const std::string &bytes) {
  return bytes.size() > 8 && bytes.compare(4, 4, schema::ModelIdentifier()) == 0;
}

std::string mutateTables(const std::string &bytes, uint32_t seed) {
  // Aligned, as offsets count on it.
  std::vector<uint64_t> words(bytes.size() / sizeof(uint64_t) + 1);
  auto *begin = reinterpret_cast<uint8_t *>(words.data());
  std::copy(bytes.begin(), bytes.end(), begin);
  flatbuffers::Verifier verifier(begin, bytes.size(), /*max_depth=*/16, /*max_tables=*/10000);
  if (!schema::VerifyModelBuffer(verifier) || !hasKnownKinds(*schema::GetModel(begin)))
    return bytes;
  Collector collector;
  flatbuffers::IterateFlatBuffer(begin, schema::ModelTypeTable(), &collector);
  std::mt19937 random(seed);
  for (uint32_t change = 1 + random() % 3; change-- > 0 && !collector.numbers.empty();) {
    const Number &number = collector.numbers[random() % collector.numbers.size()];
    redraw(random, begin + (number.place - begin), number);
  }
  return {reinterpret_cast<const char *>(begin), bytes.size()};
}
