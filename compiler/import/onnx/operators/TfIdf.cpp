// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts n-grams: sequences of words in a text that a pool lists. Words are integers here.
//
// The pool is read by the length of its n-grams. For each length and each number of skipped words, all positions of a
// text are compared with all n-grams, and the matches are counted. Then counts are moved to their columns, and
// multiplied by weights.

#include "compiler/import/compositions/Tables.h"
#include "compiler/import/messages/TypeNames.h"
#include "compiler/import/onnx/operators/Handlers.h"

using namespace mlir;

namespace nacre::importer::onnx_format {
namespace {

using nn::BinaryKind;
using nn::ReduceKind;

//===----------------------------------------------------------------------===//
// 1. The pool
//===----------------------------------------------------------------------===//

struct Pool {
  int64_t shortest, longest, skips;
  SmallVector<SmallVector<int64_t>> grams; ///< words of the n-grams of each length, from length 1 on
  SmallVector<int64_t> columns;            ///< column of the result for each n-gram, in the order of the pool
  SmallVector<double> weights;             ///< weights by column; empty if all weights are 1
  int64_t width;                           ///< width of the result

  int64_t countGrams(int64_t length) const { return static_cast<int64_t>(grams[length - 1].size()) / length; }
};

/// Reads the words of the pool, grouped by the length of n-grams.
LogicalResult readGrams(OperandBinder &node, Pool &pool) {
  SmallVector<int64_t> words = node.getInts("pool_int64s"), starts = node.getInts("ngram_counts");
  int64_t count = 0;
  for (auto [index, start] : llvm::enumerate(starts)) {
    auto size = static_cast<int64_t>(words.size()), length = static_cast<int64_t>(index) + 1;
    int64_t end = index + 1 < starts.size() ? starts[index + 1] : size;
    if (start < 0 || end < start || end > size || (end - start) % length)
      return node.error() << "attribute 'ngram_counts' must hold the positions in 'pool_int64s', of "
                          << describeCount(size, "word") << ", where the n-grams of each length begin, but is ["
                          << Ints(starts) << "]";
    pool.grams.emplace_back(words.begin() + start, words.begin() + end);
    count += (end - start) / length;
  }
  if (count == static_cast<int64_t>(pool.columns.size()))
    return success();
  return node.error() << "attribute 'ngram_indexes' must have one number for each of " << count << " n-grams, but has "
                      << pool.columns.size();
}

FailureOr<Pool> readPool(OperandBinder &node) {
  Pool pool{node.getInt("min_gram_length", 1),
            node.getInt("max_gram_length", 1),
            node.getInt("max_skip_count", 0),
            {},
            node.getInts("ngram_indexes"),
            node.getFloats("weights"),
            0};
  if (node.has("pool_strings"))
    return node.error() << "attribute 'pool_strings' is not supported; represent words by numbers in 'pool_int64s'";
  if (failed(readGrams(node, pool)))
    return failure();
  auto lengths = static_cast<int64_t>(pool.grams.size());
  if (pool.shortest < 1 || pool.longest < pool.shortest || pool.longest > lengths || pool.skips < 0 ||
      pool.skips > INT32_MAX)
    return node.error() << "attributes 'min_gram_length' and 'max_gram_length' must lie between 1 and " << lengths
                        << ", the lengths of the pool, and 'max_skip_count' must be 0 or more, but they are "
                        << pool.shortest << ", " << pool.longest << " and " << pool.skips;
  SmallVector<int64_t> sorted = pool.columns;
  llvm::sort(sorted);
  if (sorted.empty() || sorted.front() < 0 || sorted.back() >= INT32_MAX ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    return node.error() << "attribute 'ngram_indexes' must name a distinct column of the result, 0 or more, for each "
                           "n-gram, but does not";
  pool.width = sorted.back() + 1;
  if (!pool.weights.empty() && static_cast<int64_t>(pool.weights.size()) != pool.width)
    return node.error() << "attribute 'weights' must have one number for each of " << pool.width << " columns, but has "
                        << pool.weights.size();
  return pool;
}

//===----------------------------------------------------------------------===//
// 2. Counts
//===----------------------------------------------------------------------===//

/// Returns the number of occurrences of each n-gram of `length` words in each row of `texts`, which is i64
/// `[rows, words]`. The result is `[rows, n-grams]`. There are `skips` words between adjacent words of an n-gram.
Value countGrams(NnBuilder &nn, Value texts, const Pool &pool, int64_t length, int64_t skips) {
  int64_t rows = getShape(texts)[0], places = getShape(texts)[1] - (length - 1) * (skips + 1);
  int64_t grams = pool.countGrams(length);
  Ints words = pool.grams[length - 1];
  Value agrees;
  for (int64_t word = 0; word < length; ++word) {
    Value own = nn.reshape(nn.slice(texts, 1, word * (skips + 1), places), {rows, places, 1});
    Value wanted = makeTable<int64_t>(nn, RankedTensorType::get(grams, nn.types().getI64Type()),
                                      [&](int64_t gram) { return words[gram * length + word]; });
    Value same = nn.binary(BinaryKind::Equal, own, wanted);
    agrees = agrees ? nn.binary(BinaryKind::And, agrees, same) : same;
  }
  return nn.reduce(ReduceKind::Sum, agrees ? nn.cast(agrees, nn.types().getF32Type()) : Value(), 1, /*keepDims=*/false);
}

/// Returns the counts of all n-grams in the order of the pool. Counts of n-grams that are too short or too long are 0.
Value countAll(OperandBinder &node, Value texts, const Pool &pool) {
  NnBuilder &nn = node.nn;
  int64_t rows = getShape(texts)[0], words = getShape(texts)[1];
  SmallVector<Value> counts;
  for (int64_t length = 1; length <= static_cast<int64_t>(pool.grams.size()); ++length) {
    int64_t grams = pool.countGrams(length);
    Value sum = nn.splat(RankedTensorType::get({rows, grams}, nn.types().getF32Type()), 0);
    bool isWanted = length >= pool.shortest && length <= pool.longest && grams > 0;
    // An n-gram of one word has no words to skip, so it is counted once.
    for (int64_t skips = 0; isWanted && skips <= (length == 1 ? 0 : pool.skips); ++skips) {
      int64_t reach = (length - 1) * (skips + 1);
      if (reach >= words)
        break;
      if (!node.checkFits({rows, words - reach, grams}, "the comparisons of words"))
        return {};
      sum = nn.add(sum, countGrams(nn, texts, pool, length, skips));
    }
    counts.push_back(sum);
  }
  if (llvm::is_contained(counts, Value()))
    return {};
  return nn.concat(counts, 1);
}

//===----------------------------------------------------------------------===//
// 3. Columns and weights
//===----------------------------------------------------------------------===//

/// Returns the count of each column. It is 0 for a column without an n-gram.
Value toColumns(NnBuilder &nn, Value counts, const Pool &pool) {
  if (!counts)
    return {};
  auto grams = static_cast<int64_t>(pool.columns.size());
  SmallVector<int64_t> sources(pool.width, grams);
  for (auto [gram, column] : llvm::enumerate(pool.columns))
    sources[column] = static_cast<int64_t>(gram);
  Value padded = nn.pad(nn::PadMode::Constant, counts, {0, 0}, {0, 1}, 0);
  return nn.gather(padded, nn.integers(sources), 1);
}

Value weigh(NnBuilder &nn, Value counts, const Pool &pool, StringRef mode) {
  if (mode == "TF" || !counts)
    return counts;
  Value weights = nn.scalar(counts, 1);
  if (!pool.weights.empty())
    weights = makeTable<double>(nn, RankedTensorType::get(pool.width, getElementType(counts)),
                                [&](int64_t column) { return pool.weights[column]; });
  if (mode == "TFIDF")
    return nn.mul(counts, weights);
  return nn.select(nn.binary(BinaryKind::Greater, counts, 0.0), weights, nn.scalar(counts, 0));
}

void importTfIdf(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Value x = node.getOperand(0);
  if (!node.has("mode") || !node.has("ngram_counts")) {
    node.error() << "attributes 'mode' and 'ngram_counts' are required, but missing";
    return;
  }
  StringRef mode = node.getChoice("mode", {"TF", "IDF", "TFIDF"});
  FailureOr<Pool> pool = readPool(node);
  if (failed(pool) || !node.checkRank(0, 1, 2) || node.hasFailed())
    return;
  int64_t rows = getRank(x) == 2 ? getShape(x)[0] : 1, words = getShape(x).back();
  SmallVector<int64_t> shape(getShape(x));
  shape.back() = pool->width;
  if (!node.checkFits(shape) || !node.allowsConstant(pool->width, 8))
    return;
  Value texts = nn.cast(nn.reshape(x, {rows, words}), nn.types().getI64Type());
  Value counts = texts ? toColumns(nn, countAll(node, texts, *pool), *pool) : Value();
  node.setResult(nn.reshape(weigh(nn, counts, *pool, mode), shape));
}

} // namespace

void registerTfIdf(ImportRegistry &registry) {
  registry.add("TfIdfVectorizer", 9, {{"X", Holds::Indices}}, importTfIdf);
  registry.setLimit("TfIdfVectorizer", "strings");
}

} // namespace nacre::importer::onnx_format
