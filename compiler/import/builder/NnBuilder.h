// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds `nn` operators for importers.
//
// There is one function per operator. It infers the result type, verifies the operator, and folds constants. So a
// handler reads like the operator's definition: `mul(x, sigmoid(x))`. A null value means that an error was reported at
// this node. Functions return null for null arguments, so that compositions need no intermediate checks.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_NNBUILDER_H
#define NACRE_COMPILER_IMPORT_BUILDER_NNBUILDER_H

#include "compiler/import/builder/LinearForms.h"
#include "compiler/import/options/ImportOptions.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace nacre::nn {
struct SpelledAttention; // dialects/nn/attention/SpelledAttention.h
}

namespace nacre::importer {

using Ints = llvm::ArrayRef<int64_t>;

inline mlir::RankedTensorType getType(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()); }
inline Ints getShape(mlir::Value value) { return getType(value).getShape(); }
inline int64_t getRank(mlir::Value value) { return getType(value).getRank(); }
inline mlir::Type getElementType(mlir::Value value) { return getType(value).getElementType(); }
inline bool isFloat(mlir::Value value) { return llvm::isa<mlir::FloatType>(getElementType(value)); }

/// Converts a number to an element type. Floats are rounded, integers saturate, and NaN becomes the integer 0.
mlir::TypedAttr getScalarAttr(mlir::Type type, double value);

/// Returns the constant that defines `value`; null if `value` is null or not a constant.
mlir::ElementsAttr getConstant(mlir::Value value);

// In some formats, a value can also be a list of tensors, or nothing. Such values are resolved during the import, and
// the operations that define them are erased at its end.
inline bool isTensor(mlir::Value value) { return value && llvm::isa<mlir::RankedTensorType>(value.getType()); }
inline bool isNothing(mlir::Value value) { return value && llvm::isa<mlir::NoneType>(value.getType()); }
/// Returns the elements of a list; `nullopt` for other values.
std::optional<mlir::ValueRange> getList(mlir::Value value);

/// Returns the axes [begin, end).
llvm::SmallVector<int64_t> axisRange(int64_t begin, int64_t end);

class OpenWeights; // OpenWeights.h

/// Indices of the nodes that draw random numbers, so that each node draws different ones. If a node is imported again
/// to be differentiated, it keeps its index.
class NodeNumbers {
public:
  uint32_t take(mlir::Location node);
  /// Returns the number of nodes.
  uint32_t size() const { return count; }
  /// While an `Again` exists, nodes are imported again, from the first one on.
  class Again {
  public:
    explicit Again(NodeNumbers &numbers) : numbers(numbers), before(std::move(numbers.repeated)) {
      numbers.repeated.emplace();
    }
    ~Again() { numbers.repeated = std::move(before); }
    Again(const Again &) = delete;
    Again &operator=(const Again &) = delete;

  private:
    NodeNumbers &numbers;
    std::optional<llvm::DenseMap<mlir::Location, unsigned>> before;
  };

private:
  uint32_t count = 0;
  llvm::DenseMap<mlir::Location, llvm::SmallVector<uint32_t, 1>>
      known; ///< all indices of a node; several if it is expanded several times
  std::optional<llvm::DenseMap<mlir::Location, unsigned>> repeated; ///< position in `known` of each node's next index
};

/// State that all nodes of an import share.
struct ImportState {
  explicit ImportState(const ImportOptions &options)
      : maxConstantBytes(options.maxConstantBytes), foldBudget(options.maxConstantBytes),
        maxOperators(options.maxOperators), operatorsLeft(options.maxOperators), seed(options.seed) {}

  /// Counts an operator of the model or of `nn`. Reports an error at `loc` if there are too many operators.
  bool takeOperator(mlir::Location loc);

  const int64_t maxConstantBytes; ///< limit of the size of all computed constants together, in bytes
  int64_t foldBudget;             ///< part of that limit that remains, in bytes
  const int64_t maxOperators;     ///< limit of the number of operators
  int64_t operatorsLeft;          ///< number of operators that may still be added
  size_t numErrors = 0;           ///< number of errors reported by builders, except in abandoned attempts
  /// Names of inputs whose unknown values decide something that must be known at compile time.
  llvm::SetVector<llvm::StringRef> unfixedInputs;
  /// Run-time sizes of the values that have axes whose sizes are known only at run time.
  llvm::DenseMap<mlir::Value, nn::AxisCounts> counts;
  /// Run-time size of some axis.
  struct KnownCount {
    mlir::Value count;
    int64_t bound; ///< largest value of the count
    LinearForm form;
  };
  llvm::SmallVector<KnownCount> knownCounts; ///< without two that are always equal
  /// Largest value that the user states for a tensor.
  struct GivenBound {
    int64_t most;
    llvm::StringRef tensor; ///< name, a key of ImportOptions::bounds
  };
  llvm::DenseMap<mlir::Value, GivenBound> givenBounds; ///< bounds of tensors of one element
  llvm::StringSet<> usedBounds;                        ///< names of tensors whose given bounds decide a size
  Element unbounded;                                   ///< element that was read last as a size, but has no bound
  /// Returns the name of the first tensor of the model that is `value`, or an empty string if no tensor is. Null if
  /// values have no names.
  std::function<llvm::StringRef(mlir::Value)> nameOf;
  uint32_t seed; ///< seed of random nodes that have no seed
  NodeNumbers randomNodes;
  NodeNumbers droppingNodes;      ///< nodes that drop different elements in each run, such as dropout
  bool changesBatch = false;      ///< true to keep reductions of one element, because a change of the batch must find
                                  ///< them
  bool hasRemarkedSeed = false;   ///< true if a remark about the use of `seed` was emitted
  OpenWeights *weights = nullptr; ///< weights of a trained model; null for other models
};

/// Group of elements that share a scale. One scale for the whole tensor needs no granularity.
struct Granularity {
  int64_t axis = 0;
  int64_t block = 0; ///< number of consecutive elements of the axis that share a scale; 0 for one scale per index of
                     ///< the axis
};

/// Size of an axis. Without a count, it is `bound`. Otherwise the count, an i64 scalar of at most `bound`, is the size.
struct Size {
  int64_t bound = 0;
  mlir::Value count;
};

class NnBuilder {
public:
  NnBuilder(mlir::OpBuilder &builder, mlir::Location loc, ImportState &shared)
      : builder(builder), loc(loc), shared(shared) {}

  mlir::Location getLoc() const { return loc; }
  mlir::Builder &types() { return builder; }
  mlir::InFlightDiagnostic error() const {
    ++shared.numErrors;
    return mlir::emitError(loc);
  }
  size_t &getNumErrors() const { return shared.numErrors; }
  /// Returns the weights of a trained model; null for other models.
  OpenWeights *getWeights() const { return shared.weights; }

  /// Builds an operator with one result of an inferred type, for operators without a function below. Returns null after
  /// an error, or if an operand is null.
  template <typename Op, typename... Args> mlir::Value infer(Args &&...args) {
    if ((isMissing(args) || ...))
      return {};
    mlir::OperationState state(loc, Op::getOperationName());
    Op::build(builder, state, /*result=*/builder.getNoneType(), args...);
    return finish(state, &Op::inferReturnTypes).front();
  }

  // Constants.
  /// Reserves memory for a constant of `count` elements in the budget. Reports an error and returns false if the budget
  /// is too small.
  bool allowsConstant(int64_t count, int64_t elementBytes);
  /// Notes that a shape depends on the input `name`, which must live as long as the context.
  void noteUnfixedInput(llvm::StringRef name) { shared.unfixedInputs.insert(name); }
  llvm::SetVector<llvm::StringRef> &getUnfixedInputs() { return shared.unfixedInputs; }
  /// Returns the seed and the index of a random node. Emits one remark for all nodes without a seed.
  std::array<uint32_t, 2> takeRandomKey(std::optional<uint32_t> seed);
  /// Returns the index of this node among the nodes that drop different elements in each run.
  uint32_t takeStream() { return shared.droppingNodes.take(loc); }
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value splat(mlir::RankedTensorType type, double value);
  /// Returns a scalar of `like`'s element type.
  mlir::Value scalar(mlir::Value like, double value);
  /// Returns `values`, which are few, as a 1-D tensor of i64.
  mlir::Value integers(Ints values);
  /// Returns the 1-D tensor 0, 1, ..., count - 1 of i64. Reports an error if it exceeds the budget for constants.
  mlir::Value counting(int64_t count);

  // Data-dependent sizes (dialects/nn/Counts.h). An axis is open if its size is known only at run time. Operators on
  // values with open axes pass the sizes on, or report an error.
  /// Returns the run-time sizes of the value's open axes; empty if all sizes are static.
  nn::AxisCounts getCounts(mlir::Value value) const { return shared.counts.lookup(value); }
  bool isOpen(mlir::Value value) const { return shared.counts.contains(value); }
  /// Returns the sizes of `number` axes from axis `first` on, as a 1-D tensor of i64. It is not constant if an axis is
  /// open.
  mlir::Value sizesOf(mlir::Value value, int64_t first, int64_t number);
  /// Returns the size of each axis of `value`.
  llvm::SmallVector<Size> getSizes(mlir::Value value) const;
  /// Returns the elements of an integer tensor as sizes. Elements that are known at compile time may be negative.
  /// Returns `nullopt`, without an error, if the largest value of another one is unknown.
  std::optional<llvm::SmallVector<Size>> readSizes(mlir::Value tensor);
  /// Returns the largest value of an element of an integer tensor; `nullopt` if it is unknown.
  std::optional<int64_t> getBound(mlir::Value tensor, int64_t index) const { return boundOf(formOf(tensor, index)); }
  /// Returns `size`, an integer tensor of one element, but at most `given.most`. It may be read as a size.
  mlir::Value giveBound(mlir::Value size, const ImportState::GivenBound &given);
  /// Returns the name of a tensor whose bound readSizes() would need, if it last failed to read `tensor`. Returns an
  /// empty string if there is no such tensor.
  llvm::StringRef nameUnbounded(mlir::Value tensor) const;
  /// Returns the product of `all` over that of `parts`, rounded down. Returns `nullopt`, without an error, if it is not
  /// known to be an integer.
  std::optional<Size> divideSizes(llvm::ArrayRef<Size> all, llvm::ArrayRef<Size> parts);
  /// Reshapes `operand` to `sizes`, which have as many elements in each run.
  mlir::Value reshapeTo(mlir::Value operand, llvm::ArrayRef<Size> sizes);
  /// Returns the first elements of `value` along each axis with a count. `value` must have no other users.
  mlir::Value limitTo(mlir::Value value, llvm::ArrayRef<Size> sizes);
  /// Returns the first `count` elements of `value` along `axis`. The type keeps the maximum size of the axis.
  mlir::Value limit(mlir::Value value, int64_t axis, mlir::Value count);
  /// Slices an operand whose sliced axes may be open. Starts and sizes are for the maximum size, and must not be
  /// relative to the end. Along open axes, steps must be 1.
  mlir::Value sliceOpen(mlir::Value operand, Ints starts, Ints sizes, Ints steps);
  /// Returns `value` with its open `axis` filled up with `filler` to the size in its type.
  mlir::Value fillUp(mlir::Value value, int64_t axis, mlir::Value filler);
  /// Reports an error at this node, which cannot read `open`, because its size is known only at run time.
  mlir::InFlightDiagnostic refuseOpen(mlir::Value open) const;

  // Values that are not tensors.
  mlir::Value list(mlir::ValueRange elements);
  mlir::Value nothing();

  // Elementwise.
  mlir::Value unary(nn::UnaryKind kind, mlir::Value operand, double alpha = 0);
  mlir::Value binary(nn::BinaryKind kind, mlir::Value lhs, mlir::Value rhs);
  mlir::Value binary(nn::BinaryKind kind, mlir::Value lhs, double rhs);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) { return binary(nn::BinaryKind::Add, lhs, rhs); }
  mlir::Value add(mlir::Value lhs, double rhs) { return binary(nn::BinaryKind::Add, lhs, rhs); }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) { return binary(nn::BinaryKind::Sub, lhs, rhs); }
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs) { return binary(nn::BinaryKind::Mul, lhs, rhs); }
  mlir::Value mul(mlir::Value lhs, double rhs) { return binary(nn::BinaryKind::Mul, lhs, rhs); }
  mlir::Value div(mlir::Value lhs, mlir::Value rhs) { return binary(nn::BinaryKind::Div, lhs, rhs); }
  mlir::Value div(mlir::Value lhs, double rhs) { return binary(nn::BinaryKind::Div, lhs, rhs); }
  mlir::Value select(mlir::Value condition, mlir::Value onTrue, mlir::Value onFalse);
  mlir::Value requantize(nn::FixedPointRounding rounding, mlir::Value operand, mlir::Value multiplier,
                         mlir::Value shift);
  /// Quantizes `operand`. `scale` has the type of the operand, and `zero` has the type of the result.
  mlir::Value quantize(mlir::Value operand, mlir::Value scale, mlir::Value zero, Granularity granularity = {},
                       bool overflows = false);
  /// Dequantizes `operand`. The result has the type of `scale`.
  mlir::Value dequantize(mlir::Value operand, mlir::Value scale, mlir::Value zero, Granularity granularity = {});
  /// Casts `operand`. `overflows` and `rounding` only affect narrow floats.
  mlir::Value cast(mlir::Value operand, mlir::Type elementType, bool overflows = false,
                   nn::ScaleRounding rounding = nn::ScaleRounding::Up);
  /// Reinterprets the data of `operand`. If the new elements are narrower, the result has a new last axis. If they are
  /// wider, the elements of the last axis must form one new element.
  mlir::Value bitcast(mlir::Value operand, mlir::Type elementType);

  // Contractions, windows, reductions. Channels are the last axis of all operands.
  mlir::Value matmul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value conv(mlir::Value input, mlir::Value filter, Ints strides, Ints pads, Ints dilations, int64_t groups,
                   int64_t padValue = 0);
  mlir::Value convTranspose(mlir::Value input, mlir::Value filter, Ints strides, Ints pads, Ints dilations,
                            int64_t groups);
  mlir::Value pool(nn::PoolKind kind, mlir::Value input, Ints kernel, Ints strides, Ints pads, Ints dilations,
                   Ints overhang, bool countPadding);
  mlir::Value reduce(nn::ReduceKind kind, mlir::Value operand, Ints axes, bool keepDims);
  mlir::Value argReduce(nn::ArgKind kind, mlir::Value operand, int64_t axis, bool keepDims, bool selectLast);
  mlir::Value softmax(mlir::Value operand, int64_t axis, bool log);
  mlir::Value normalize(mlir::Value operand, Ints axes, double epsilon);
  mlir::Value lrn(mlir::Value operand, int64_t size, double alpha, double beta, double bias);

  struct AttentionOperands {
    mlir::Value queries, keys, values;
    mlir::Value mask, sink, offset; // each may be null
    double scale = 1, softcap = 0;  // no limit if `softcap` is 0
    std::optional<int64_t> before, behind;
    bool hidesRows = false;
  };
  mlir::Value attention(const AttentionOperands &attention);
  /// Replaces `attention`, the result of an operator without users, by its parts, with a softmax in `softmaxType`.
  nn::SpelledAttention spell(mlir::Value attention, mlir::Type softmaxType);

  struct Recurrence {
    // from `bias` on, operands may be null
    mlir::Value input, weights, recurrence, bias, lengths, initialH, initialC, peepholes;
    bool reverse = false, linearBeforeReset = false, inputForget = false;
    double clip = 0;
    llvm::SmallVector<nn::UnaryKind> activations;
  };
  /// Returns all hidden states, the last hidden state and the last cell state. All are null after an error.
  std::array<mlir::Value, 3> recurrent(nn::CellKind kind, const Recurrence &recurrence);

  // Sorting and selection (dialects/nn/NnSelectionOps.td). All results are null after an error.
  std::array<mlir::Value, 2> topK(mlir::Value operand, int64_t axis, int64_t k, bool smallest);
  /// Returns the indices of the true elements, in order. The result has as many elements as `mask`, and no open axis.
  mlir::Value compact(mlir::Value mask);
  /// Groups equal rows. Returns the index of the first row of each group, the group of each row, and the number of rows
  /// of each group.
  std::array<mlir::Value, 3> unique(mlir::Value rows, bool sorted);
  struct Suppression {
    mlir::Value boxes, scores, most, iouThreshold, scoreThreshold; // scoreThreshold may be null
    int64_t limit;
    bool centered;
  };
  std::array<mlir::Value, 2> nms(const Suppression &suppression);

  // Shapes and data movement.
  mlir::Value reshape(mlir::Value operand, Ints shape);
  mlir::Value broadcast(mlir::Value operand, Ints shape);
  mlir::Value transpose(mlir::Value operand, Ints permutation);
  mlir::Value concat(mlir::ValueRange operands, int64_t axis);
  mlir::Value slice(mlir::Value operand, Ints starts, Ints sizes, Ints steps);
  /// Slices the elements [start, start + size) of one axis.
  mlir::Value slice(mlir::Value operand, int64_t axis, int64_t start, int64_t size);
  mlir::Value pad(nn::PadMode mode, mlir::Value operand, Ints low, Ints high, double value);
  mlir::Value gather(mlir::Value operand, mlir::Value indices, int64_t axis);
  /// Resamples along `axes`, which are sorted. `indices` and `weights` have one table per axis, of i32 and f32.
  mlir::Value resample(mlir::Value operand, Ints axes, llvm::ArrayRef<mlir::Attribute> indices,
                       llvm::ArrayRef<mlir::Attribute> weights);
  /// Samples `input` at `positions`. `images` may be null.
  mlir::Value sample(nn::Interpolation interpolation, nn::SamplePadding padding, mlir::Value input,
                     mlir::Value positions, mlir::Value images, bool alignCorners);

  /// Transpose [N, C, spatial...] to [N, spatial..., C], or back.
  mlir::Value toChannelsLast(mlir::Value operand);
  mlir::Value toChannelsFirst(mlir::Value operand);
  /// Reshapes a 1-D tensor of channels so that it broadcasts along `axis` of a tensor of `rank` axes.
  mlir::Value alignToAxis(mlir::Value channels, int64_t axis, int64_t rank);

private:
  friend class RegionBuilder; // control/RegionBuilder.h

  template <typename T> static bool isMissing(const T &) { return false; }
  static bool isMissing(const mlir::Value &value) { return !value; }
  static bool isMissing(const mlir::ValueRange &values) {
    return llvm::any_of(values, [](mlir::Value value) { return !value; });
  }

  using InferTypes = mlir::LogicalResult (*)(mlir::MLIRContext *, std::optional<mlir::Location>, mlir::ValueRange,
                                             mlir::DictionaryAttr, mlir::OpaqueProperties, mlir::RegionRange,
                                             llvm::SmallVectorImpl<mlir::Type> &);
  template <typename Op, typename... Args> mlir::Value build(mlir::RankedTensorType type, Args &&...args);
  /// Creates and verifies the operator, with types from `inferTypes` unless it is null. Returns null, without an error,
  /// if the operator is invalid. Handlers check their operands, so this is only a safeguard.
  mlir::Operation *make(mlir::OperationState &state, InferTypes inferTypes);
  /// Creates and folds the operator. Returns nulls after an error.
  llvm::SmallVector<mlir::Value> finish(mlir::OperationState &state, InferTypes inferTypes);
  /// Returns the run-time sizes of the operator's result, which follow from those of its operands; empty if no operand
  /// has open axes. Fails after an error.
  mlir::FailureOr<nn::AxisCounts> passCounts(mlir::Operation *op) const;
  mlir::Value gatherOpen(mlir::Value operand, mlir::Value indices, int64_t axis);
  mlir::Value gatherReshaped(mlir::Value operand, llvm::ArrayRef<Size> sizes);
  /// Returns a count that is always equal to `count` and visible here: one that was noted before, or `count`, which is
  /// noted with its largest value.
  mlir::Value noteCount(mlir::Value count, int64_t bound);
  mlir::Value noteCount(mlir::Value count, int64_t bound, const LinearForm &form);
  /// Returns the noted count that is always equal to `form` and visible here. Returns null if no such count was noted.
  const ImportState::KnownCount *findCount(const LinearForm &form) const;
  /// Returns the largest value of a sum of sizes; `nullopt` if it is unknown. Looks through a few operators.
  std::optional<int64_t> boundOf(const LinearForm &form, unsigned depth = 0) const;
  std::optional<int64_t> boundOfElement(mlir::Value tensor, int64_t index, unsigned depth) const;
  /// Calls `work` while `value` has its maximum size along all axes.
  mlir::Value withoutCounts(mlir::Value value, llvm::function_ref<mlir::Value()> work);
  void setCounts(mlir::Value value, const nn::AxisCounts &counts);
  /// Open axis of an operand along which an operator is exact if a neutral number follows the valid elements.
  struct OpenAxis {
    unsigned operand;
    int64_t axis;
    int64_t ofResult; ///< The same axis of the result, or Axis::absent.
    mlir::Value count;
    mlir::TypedAttr neutral;
  };
  /// Returns the axes that prevent `op` from passing counts on, and for which there are neutral numbers.
  llvm::SmallVector<OpenAxis> findNeutral(mlir::Operation *op) const;
  /// Like finish(), with operands that are filled up along `open`.
  llvm::SmallVector<mlir::Value> finishFilled(mlir::OperationState &state, InferTypes inferTypes,
                                              llvm::ArrayRef<OpenAxis> open);
  mlir::Value reduceOpen(nn::ReduceKind kind, mlir::Value operand, Ints axes, bool keepDims);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  ImportState &shared;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_NNBUILDER_H
