# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX's recurrent layers by their definition, in double precision.

How:  a direction at a time, a row of the batch at a time, so that rows that end early need no masks.
"""
import numpy as np

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}
# The defaults of alpha and beta, None where a function has none; the function.
FUNCTIONS = {
    "Affine": (1, 0, lambda x, a, b: a * x + b),
    "Elu": (1, None, lambda x, a, b: np.where(x < 0, a * np.expm1(np.minimum(x, 0)), x)),
    "HardSigmoid": (0.2, 0.5, lambda x, a, b: np.clip(a * x + b, 0, 1)),
    "LeakyRelu": (0.01, None, lambda x, a, b: np.where(x < 0, a * x, x)),
    "Relu": (None, None, lambda x, a, b: np.maximum(x, 0)),
    "ScaledTanh": (1, 1, lambda x, a, b: a * np.tanh(b * x)),
    "Sigmoid": (None, None, lambda x, a, b: 1 / (1 + np.exp(-x))),
    "Softplus": (None, None, lambda x, a, b: np.log1p(np.exp(x))),
    "Softsign": (None, None, lambda x, a, b: x / (1 + np.abs(x))),
    "Tanh": (None, None, lambda x, a, b: np.tanh(x)),
    "ThresholdedRelu": (1, None, lambda x, a, b: np.where(x > a, x, 0)),
}


class Layer:
    """Drawn weights: w [directions, gates * hidden, inputs], r, b [directions, 2 * gates * hidden], p [directions, 3 * hidden] or None."""

    def __init__(self, random, operator, directions, inputs, hidden, peepholes=False):
        rows = GATES[operator] * hidden

        def draw(*shape):
            return random.uniform(-0.6, 0.6, shape).astype(np.float32)
        self.w, self.r, self.b = draw(directions, rows, inputs), draw(directions, rows, hidden), draw(directions, 2 * rows)
        self.p = draw(directions, 3 * hidden) if peepholes else None


def bind(functions, alphas, betas):
    """The functions of one argument; parameters go in order to those that have them."""
    alphas, betas = iter(alphas), iter(betas)

    def one(name):
        alpha, beta, function = FUNCTIONS[name]
        alpha = None if alpha is None else np.float64(np.float32(next(alphas, alpha)))
        beta = None if beta is None else np.float64(np.float32(next(betas, beta)))
        return lambda x: function(x, alpha, beta)
    return [one(name) for name in functions]


def compute(operator, x, w, r, b, functions, alphas=(), betas=(), direction="forward", lengths=None, initial=(None, None), p=None, clip=0,
            input_forget=0, linear_before_reset=0):
    """All hidden states [steps, directions, batch, hidden], the last ones and the last cells."""
    steps, batch, _ = x.shape
    directions, hidden = w.shape[0], r.shape[2]
    bound = bind(functions, alphas, betas)
    lengths = [steps] * batch if lengths is None else lengths
    x, w, r = (a.astype(np.float64) for a in (x, w, r))
    y = np.zeros((steps, directions, batch, hidden))
    states = [np.zeros((directions, batch, hidden)) if a is None else a.astype(np.float64) for a in initial]
    for d in range(directions):
        f, *others = bound[d * len(DEFAULTS[operator]):(d + 1) * len(DEFAULTS[operator])]
        wb, rb = (b[d].astype(np.float64)[k * len(w[d]):(k + 1) * len(w[d])] for k in (0, 1))
        cut = lambda a: np.clip(a, -clip, clip) if clip else a  # noqa: E731
        peep = np.zeros((3, hidden)) if p is None else p[d].astype(np.float64).reshape(3, hidden)
        for row in range(batch):
            h, c = states[0][d, row], states[1][d, row]
            order = range(lengths[row])
            for t in reversed(order) if direction == "reverse" or d == 1 else order:
                xs = (x[t, row] @ w[d].T + wb).reshape(-1, hidden)
                hs = (h @ r[d].T + rb).reshape(-1, hidden)
                if operator == "LSTM":
                    i = f(cut(xs[0] + hs[0] + peep[0] * c))
                    forget = 1 - i if input_forget else f(cut(xs[2] + hs[2] + peep[2] * c))
                    c = forget * c + i * others[0](cut(xs[3] + hs[3]))
                    h = f(cut(xs[1] + hs[1] + peep[1] * c)) * others[1](c)
                elif operator == "GRU":
                    z, reset = (f(cut(xs[k] + hs[k])) for k in (0, 1))
                    new = reset * hs[2] if linear_before_reset else (reset * h) @ r[d].T[:, 2 * hidden:] + rb[2 * hidden:]
                    h = (1 - z) * others[0](cut(xs[2] + new)) + z * h
                else:
                    h = f(cut(xs[0] + hs[0]))
                y[t, d, row] = h
            states[0][d, row], states[1][d, row] = h, c
    return [a.astype(np.float32) for a in (y, *states)]
