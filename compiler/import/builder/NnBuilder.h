// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds `nn` operators for importers.
//
// There is one function per operator. It infers the result type, verifies, and folds constants, so that a handler reads
// like the operator's definition: `mul(x, sigmoid(x))`. A null value means that an error was reported at this node.
// Functions return null for null arguments, so that compositions need no intermediate checks.

#ifndef NACRE_COMPILER_IMPORT_BUILDER_NNBUILDER_H
#define NACRE_COMPILER_IMPORT_BUILDER_NNBUILDER_H

#include "compiler/import/options/ImportOptions.h"
#include "dialects/nn/NnDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace nacre::importer {

using Ints = llvm::ArrayRef<int64_t>;

inline mlir::RankedTensorType getType(mlir::Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()); }
inline Ints getShape(mlir::Value value) { return getType(value).getShape(); }
inline int64_t getRank(mlir::Value value) { return getType(value).getRank(); }
inline mlir::Type getElementType(mlir::Value value) { return getType(value).getElementType(); }
inline bool isFloat(mlir::Value value) { return llvm::isa<mlir::FloatType>(getElementType(value)); }

/// Converts a number to an element type: floats are rounded, integers saturate, NaN becomes integer 0.
mlir::TypedAttr getScalarAttr(mlir::Type type, double value);

/// Returns the constant that defines `value`; null if `value` is null or not a constant.
mlir::ElementsAttr getConstant(mlir::Value value);

// A value of an import can also be a list of tensors, or nothing, in formats that have these. They are resolved during
// the import, and their defining operations are erased at the end.
inline bool isTensor(mlir::Value value) { return value && llvm::isa<mlir::RankedTensorType>(value.getType()); }
inline bool isNothing(mlir::Value value) { return value && llvm::isa<mlir::NoneType>(value.getType()); }
/// Returns the elements of a list; `nullopt` for other values.
std::optional<mlir::ValueRange> getList(mlir::Value value);

/// Returns the axes [begin, end).
llvm::SmallVector<int64_t> axisRange(int64_t begin, int64_t end);

class OpenWeights; // OpenWeights.h

/// Numbers of the nodes that draw random numbers, so that each draws different ones. A node that is imported again to
/// be differentiated keeps its number.
class NodeNumbers {
public:
  uint32_t take(mlir::Location node);
  /// Returns the number of nodes.
  uint32_t size() const { return count; }
  /// During its lifetime, nodes are imported again, from the first on.
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
      known; ///< all numbers of a node that is expanded several times
  std::optional<llvm::DenseMap<mlir::Location, unsigned>> repeated; ///< index of the next number of each node to reuse
};

/// State that all nodes of an import share.
struct ImportState {
  explicit ImportState(const ImportOptions &options)
      : maxConstantBytes(options.maxConstantBytes), foldBudget(options.maxConstantBytes),
        maxOperators(options.maxOperators), operatorsLeft(options.maxOperators), seed(options.seed) {}

  /// Counts an operator of the model or of `nn`; reports an error at `loc` if there are too many.
  bool takeOperator(mlir::Location loc);

  const int64_t maxConstantBytes; ///< limit of the size of all computed constants, in bytes
  int64_t foldBudget;             ///< bytes that remain
  const int64_t maxOperators;     ///< limit of the number of operators
  int64_t operatorsLeft;          ///< operators that remain
  size_t numErrors = 0;           ///< number of errors reported by builders, except in abandoned attempts
  /// Inputs that decide values that must be known at compile time.
  llvm::SetVector<llvm::StringRef> unfixedInputs;
  /// Counts of values with axes whose sizes are known only at run time.
  llvm::DenseMap<mlir::Value, nn::AxisCounts> counts;
  uint32_t seed; ///< seed of random nodes without their own
  NodeNumbers randomNodes;
  NodeNumbers droppingNodes;      ///< nodes that drop different elements in each run
  bool changesBatch = false;      ///< keeps reductions of one element, which a change of the batch must find
  bool hasRemarkedSeed = false;   ///< true if a remark about the use of `seed` was emitted
  OpenWeights *weights = nullptr; ///< set for a trained model
};

/// Elements that share a scale if there are several scales.
struct Granularity {
  int64_t axis = 0;
  int64_t block = 0; ///< consecutive elements of the axis; 0: one scale per index of the axis
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

  /// Builds an operator with one inferred result type, for operators without a function below. Returns null after an
  /// error, or if an operand is null.
  template <typename Op, typename... Args> mlir::Value infer(Args &&...args) {
    if ((isMissing(args) || ...))
      return {};
    mlir::OperationState state(loc, Op::getOperationName());
    Op::build(builder, state, /*result=*/builder.getNoneType(), args...);
    return finish(state, &Op::inferReturnTypes).front();
  }

  // Constants.
  /// Reserves a constant of `count` elements in the budget. Reports an error and returns false if it exceeds the
  /// budget.
  bool allowsConstant(int64_t count, int64_t elementBytes);
  /// Notes that a shape depends on the input `name`, which must live as long as the context.
  void noteUnfixedInput(llvm::StringRef name) { shared.unfixedInputs.insert(name); }
  llvm::SetVector<llvm::StringRef> &getUnfixedInputs() { return shared.unfixedInputs; }
  /// Returns the seed and the number of a random node; emits one remark for nodes without a seed.
  std::array<uint32_t, 2> takeRandomKey(std::optional<uint32_t> seed);
  /// Returns the number of this node among those that drop different elements in each run.
  uint32_t takeStream() { return shared.droppingNodes.take(loc); }
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value splat(mlir::RankedTensorType type, double value);
  /// Returns a scalar of `like`'s element type.
  mlir::Value scalar(mlir::Value like, double value);
  /// Returns few `values` as a 1-D tensor of i64.
  mlir::Value integers(Ints values);
  /// Returns 0, 1, ..., count - 1, within the budget.
  mlir::Value counting(int64_t count);

  // Data-dependent sizes (dialects/nn/Counts.h). Operators on such values pass them on, or report an error.
  /// Returns the counts of the value's axes; empty if all sizes are static.
  nn::AxisCounts getCounts(mlir::Value value) const { return shared.counts.lookup(value); }
  bool isOpen(mlir::Value value) const { return shared.counts.contains(value); }
  /// Returns the sizes of `number` axes from `first` on as a 1-D tensor of i64; not constant if one is open.
  mlir::Value sizesOf(mlir::Value value, int64_t first, int64_t number);
  /// Returns `value` limited to its first `count` elements along `axis`. Its type keeps their maximum number.
  mlir::Value limit(mlir::Value value, int64_t axis, mlir::Value count);
  /// Returns `value` extended by `filler` to the size of its type.
  mlir::Value fillUp(mlir::Value value, int64_t axis, mlir::Value filler);
  /// Reports an error at this node: it cannot read `open`, whose size is decided at run time.
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
  /// `scale` has the operand's type, and `zero` the result's.
  mlir::Value quantize(mlir::Value operand, mlir::Value scale, mlir::Value zero, Granularity granularity = {},
                       bool overflows = false);
  /// The result has the type of `scale`.
  mlir::Value dequantize(mlir::Value operand, mlir::Value scale, mlir::Value zero, Granularity granularity = {});
  /// The last two only affect narrow floats.
  mlir::Value cast(mlir::Value operand, mlir::Type elementType, bool overflows = false,
                   nn::ScaleRounding rounding = nn::ScaleRounding::Up);
  /// Narrower elements get a new last axis; wider ones consume the last axis, whose elements must form one of the
  /// new ones.
  mlir::Value bitcast(mlir::Value operand, mlir::Type elementType);

  // Contractions, windows, reductions. Channels come last in all of these.
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

  struct Recurrence {
    mlir::Value input, weights, recurrence, bias, lengths, initialH, initialC, peepholes; // from bias on maybe null
    bool reverse = false, linearBeforeReset = false, inputForget = false;
    double clip = 0;
    llvm::SmallVector<nn::UnaryKind> activations;
  };
  /// Returns all hidden states, the last one and the last cell; all null after an error.
  std::array<mlir::Value, 3> recurrent(nn::CellKind kind, const Recurrence &recurrence);

  // Sorting and selecting (dialects/nn/NnSelectionOps.td). All results are null after an error.
  std::array<mlir::Value, 2> topK(mlir::Value operand, int64_t axis, int64_t k, bool smallest);
  /// Returns as many elements as the mask has, without a count.
  mlir::Value compact(mlir::Value mask);
  /// Returns the first row of each kind, the kind of each row, and the number of rows of each kind.
  std::array<mlir::Value, 3> unique(mlir::Value rows, bool sorted);
  struct Suppression {
    mlir::Value boxes, scores, most, iouThreshold, scoreThreshold; // the last may be null
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
  /// Takes one entry per sorted axis; the tables are i32 and f32.
  mlir::Value resample(mlir::Value operand, Ints axes, llvm::ArrayRef<mlir::Attribute> indices,
                       llvm::ArrayRef<mlir::Attribute> weights);
  /// `images` may be null.
  mlir::Value sample(nn::Interpolation interpolation, nn::SamplePadding padding, mlir::Value input,
                     mlir::Value positions, mlir::Value images, bool alignCorners);

  /// Transpose [N, C, spatial...] to [N, spatial..., C] and back.
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
  /// Creates the op, with types from `inferTypes` if it is given, and verifies it. Returns null, without an error, if
  /// the op is invalid. Handlers check their operands, so this is only a last safeguard.
  mlir::Operation *make(mlir::OperationState &state, InferTypes inferTypes);
  /// Makes the op and folds it. Returns null after an error.
  llvm::SmallVector<mlir::Value> finish(mlir::OperationState &state, InferTypes inferTypes);
  /// Returns the counts of the op's result, which follow from its operands; empty if no operand is open. Fails after an
  /// error.
  mlir::FailureOr<nn::AxisCounts> passCounts(mlir::Operation *op) const;
  mlir::Value reduceOpen(nn::ReduceKind kind, mlir::Value operand, Ints axes, bool keepDims);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  ImportState &shared;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BUILDER_NNBUILDER_H
