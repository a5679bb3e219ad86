// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds `nn` operators the way importers need them.
//
// What: one function per operator, each of which infers the result type, verifies, and folds what is constant.
// Why:  a handler then reads like the operator's definition: `mul(x, sigmoid(x))`.
// How:  a null value means that an error was reported at this node. Every function given one returns one, so that
//       compositions need no checks in between.

#ifndef NACRE_COMPILER_IMPORT_NNBUILDER_H
#define NACRE_COMPILER_IMPORT_NNBUILDER_H

#include "compiler/import/Import.h"
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

/// A number of an element type: floats are rounded, integers saturate, and of NaN are 0.
mlir::TypedAttr getScalarAttr(mlir::Type type, double value);

/// The constant that `value` is, or null; null of what is null.
mlir::ElementsAttr getConstant(mlir::Value value);

// Besides tensors the values of an import are lists of tensors and nothing at all, for formats whose graphs have them.
// They are resolved while it lasts: what makes one is an operation that is erased again.
inline bool isTensor(mlir::Value value) { return value && llvm::isa<mlir::RankedTensorType>(value.getType()); }
inline bool isNothing(mlir::Value value) { return value && llvm::isa<mlir::NoneType>(value.getType()); }
/// The elements of a list; no value for what is none.
std::optional<mlir::ValueRange> getList(mlir::Value value);

/// The axes [begin, end).
llvm::SmallVector<int64_t> axisRange(int64_t begin, int64_t end);

class OpenWeights; // entry/OpenWeights.h

/// Numbers nodes that draw random numbers, so that each draws others. What is imported once more to be differentiated draws what it
/// has drawn before.
class NodeNumbers {
public:
  uint32_t take(mlir::Location node);
  /// How many there are.
  uint32_t size() const { return count; }
  /// While one lives, nodes are imported once more, from the first on.
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
      known; ///< of a node that is written out several times, all
  std::optional<llvm::DenseMap<mlir::Location, unsigned>> repeated; ///< how many of those each node has had again
};

/// What all nodes of one import share.
struct ImportState {
  explicit ImportState(const ImportOptions &options)
      : maxConstantBytes(options.maxConstantBytes), foldBudget(options.maxConstantBytes),
        maxOperators(options.maxOperators), operatorsLeft(options.maxOperators), seed(options.seed) {}

  /// Counts one operator more, of the model or of `nn`; reports an error at `loc` where that is too many.
  bool takeOperator(mlir::Location loc);

  const int64_t maxConstantBytes; ///< how many bytes of constants may be made
  int64_t foldBudget;             ///< how many still may
  const int64_t maxOperators;     ///< to how many the model may come
  int64_t operatorsLeft;          ///< to how many more it still may
  size_t numErrors = 0;           ///< that builders have reported, but for those of attempts that were given up
  /// Inputs of which something was computed that must be known when the model is compiled.
  llvm::SetVector<llvm::StringRef> unfixedInputs;
  /// Values of which a run decides how many elements an axis has.
  llvm::DenseMap<mlir::Value, nn::AxisCounts> counts;
  uint32_t seed; ///< of nodes that draw random numbers and have none of their own
  NodeNumbers randomNodes;
  NodeNumbers droppingNodes;      ///< those that drop other elements in each run
  bool hasRemarkedSeed = false;   ///< that `seed` was taken
  OpenWeights *weights = nullptr; ///< of a model that is trained
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
  /// The weights of a model that is trained; null of another one.
  OpenWeights *getWeights() const { return shared.weights; }

  /// An operator of one result whose type is inferred, for those that have no function below: null after an error, and
  /// where an operand is null.
  template <typename Op, typename... Args> mlir::Value infer(Args &&...args) {
    if ((isMissing(args) || ...))
      return {};
    mlir::OperationState state(loc, Op::getOperationName());
    Op::build(builder, state, /*result=*/builder.getNoneType(), args...);
    return finish(state, &Op::inferReturnTypes).front();
  }

  // Constants.
  /// Whether a constant of `count` elements may be made, which is then counted as made; reports an error if not.
  bool allowsConstant(int64_t count, int64_t elementBytes);
  /// Notes that a shape depends on an input, which `name` is a name of for as long as the context lives.
  void noteUnfixedInput(llvm::StringRef name) { shared.unfixedInputs.insert(name); }
  llvm::SetVector<llvm::StringRef> &getUnfixedInputs() { return shared.unfixedInputs; }
  /// The seed and the number of a node that draws random numbers; says once that a node has no seed of its own.
  std::array<uint32_t, 2> takeRandomKey(std::optional<uint32_t> seed);
  /// Which of the nodes that drop other elements in each run this one is.
  uint32_t takeStream() { return shared.droppingNodes.take(loc); }
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value splat(mlir::RankedTensorType type, double value);
  /// A scalar of `like`'s element type.
  mlir::Value scalar(mlir::Value like, double value);
  /// `values`, which are few, as a 1-D tensor of i64.
  mlir::Value integers(Ints values);
  /// 0, 1 and so on, `count` numbers, within the budget.
  mlir::Value counting(int64_t count);

  // Sizes that data decide (dialects/nn/Counts.h). What is built of such a value is of such a size, or an error.
  /// The counts of the value's axes; empty where its type says all sizes.
  nn::AxisCounts getCounts(mlir::Value value) const { return shared.counts.lookup(value); }
  bool isOpen(mlir::Value value) const { return shared.counts.contains(value); }
  /// The sizes of `number` axes from `first` on, as a 1-D tensor of i64; not a constant where one is open.
  mlir::Value sizesOf(mlir::Value value, int64_t first, int64_t number);
  /// `value` with only its first `count` elements along `axis`, of which the type says how many there can be.
  mlir::Value limit(mlir::Value value, int64_t axis, mlir::Value count);
  /// `value` with all elements that its type says; those that were not there are `filler`.
  mlir::Value fillUp(mlir::Value value, int64_t axis, mlir::Value filler);
  /// An error at this node: it must not read `open`, whose size a run decides, as it does.
  mlir::InFlightDiagnostic refuseOpen(mlir::Value open) const;

  // What is no tensor.
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
  /// The last two concern narrow floats alone.
  mlir::Value cast(mlir::Value operand, mlir::Type elementType, bool overflows = false,
                   nn::ScaleRounding rounding = nn::ScaleRounding::Up);
  /// Narrower elements get an axis of their own, the last; wider ones take the last axis, which must have as many of
  /// the old ones as make one of the new.
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
  /// All hidden states, the last one, the last cell; all null after an error.
  std::array<mlir::Value, 3> recurrent(nn::CellKind kind, const Recurrence &recurrence);

  // Sorting and selecting (dialects/nn/NnSelectionOps.td). All results are null after an error.
  std::array<mlir::Value, 2> topK(mlir::Value operand, int64_t axis, int64_t k, bool smallest);
  /// As many elements as the mask has, and no count yet.
  mlir::Value compact(mlir::Value mask);
  /// Of each kind of rows the first, the kind of each row, the number of rows of each kind.
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
  /// Elements [start, start + size) of one axis.
  mlir::Value slice(mlir::Value operand, int64_t axis, int64_t start, int64_t size);
  mlir::Value pad(nn::PadMode mode, mlir::Value operand, Ints low, Ints high, double value);
  mlir::Value gather(mlir::Value operand, mlir::Value indices, int64_t axis);
  /// An entry for each axis, which are sorted; tables of i32 and of f32.
  mlir::Value resample(mlir::Value operand, Ints axes, llvm::ArrayRef<mlir::Attribute> indices,
                       llvm::ArrayRef<mlir::Attribute> weights);
  /// `images` may be null.
  mlir::Value sample(nn::Interpolation interpolation, nn::SamplePadding padding, mlir::Value input,
                     mlir::Value positions, mlir::Value images, bool alignCorners);

  /// [N, C, spatial...] to [N, spatial..., C] and back.
  mlir::Value toChannelsLast(mlir::Value operand);
  mlir::Value toChannelsFirst(mlir::Value operand);
  /// A 1-D tensor of channels reshaped so that it broadcasts along `axis` of a tensor of `rank` axes.
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
  /// Infers result types where `inferTypes` is given, makes the op and verifies it. Null, without a word, if it is wrong:
  /// handlers have checked what their operators ask for, so this is the last line of defence and never the message.
  mlir::Operation *make(mlir::OperationState &state, InferTypes inferTypes);
  /// The same, and folds it. Null after an error.
  llvm::SmallVector<mlir::Value> finish(mlir::OperationState &state, InferTypes inferTypes);
  /// Its operands' counts passed on to its result; none where it has no open operand. Fails after an error.
  mlir::FailureOr<nn::AxisCounts> passCounts(mlir::Operation *op) const;
  mlir::Value reduceOpen(nn::ReduceKind kind, mlir::Value operand, Ints axes, bool keepDims);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  ImportState &shared;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_NNBUILDER_H
