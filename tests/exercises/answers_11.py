"""Wrong answers to the exercises of chapter 11, each with the kind of wrong it must be told."""

from typing import Any

import numpy as np

from engine import Parameter
from engine.optim import Adam

M = 0.472
MEAN = {"m": M, "corrected": M / 0.271}
LONGER = {"gradient descent": 10, "momentum": 10, "Adam": 1}


def uncorrected(gradients, beta):
    m, means = 0.0, []
    for gradient in gradients:
        m = beta * m + (1 - beta) * gradient
        means.append(m)
    return means


def parts_of_the_mean_exchanged(gradients, beta):
    m, means = 0.0, []
    for t, gradient in enumerate(gradients, start=1):
        m = (1 - beta) * m + beta * gradient
        means.append(m / (1 - (1 - beta) ** t))
    return means


def counted_from_zero(gradients, beta):
    m, means = 0.0, []
    for t, gradient in enumerate(gradients):
        m = beta * m + (1 - beta) * gradient
        means.append(m / (1 - beta**t))
    return means


def correction_kept(gradients, beta):
    m, means = 0.0, []
    for t, gradient in enumerate(gradients, start=1):
        m = beta * m + (1 - beta) * gradient
        m = m / (1 - beta**t)
        means.append(m)
    return means


def same_correction(gradients, beta):
    return [m / (1 - beta) for m in uncorrected(gradients, beta)]


def multiplied(gradients, beta):
    means = uncorrected(gradients, beta)
    return [m * (1 - beta**t) for t, m in enumerate(means, start=1)]


def mean_begun_with_the_first(gradients, beta):
    m = gradients[0]
    means = [m]
    for gradient in gradients[1:]:
        m = beta * m + (1 - beta) * gradient
        means.append(m)
    return means


def begun_with_the_first_and_corrected(gradients, beta):
    means = mean_begun_with_the_first(gradients, beta)
    return [m / (1 - beta**t) for t, m in enumerate(means, start=1)]


def times_t(gradients, beta):
    means = uncorrected(gradients, beta)
    return [m / (1 - beta * t) for t, m in enumerate(means, start=1)]


def beta_typed_in(gradients, beta):
    means = uncorrected(gradients, 0.9)
    return [m / (1 - 0.9**t) for t, m in enumerate(means, start=1)]


def beta_typed_into_the_mean(gradients, beta):
    means = uncorrected(gradients, 0.9)
    return [m / (1 - beta**t) for t, m in enumerate(means, start=1)]


def beta_typed_into_the_correction(gradients, beta):
    means = uncorrected(gradients, beta)
    return [m / (1 - 0.9**t) for t, m in enumerate(means, start=1)]


def plain_means(gradients, beta):
    return [sum(gradients[: t + 1]) / (t + 1) for t in range(len(gradients))]


def last_mean_alone(gradients, beta):
    return uncorrected(gradients, beta)[-1] / (1 - beta ** len(gradients))


def means_by_step(gradients, beta):
    return dict(enumerate(uncorrected(gradients, beta)))


def half_of_each(gradients, beta):
    return [gradient / 2 for gradient in gradients]


def step_of(
    w,
    gradient,
    m,
    v,
    t,
    *,
    rate=0.1,
    beta1=0.9,
    beta2=0.999,
    scale=lambda v: v**0.5 + 1e-8,
    m_full=True,
    v_full=True,
):
    m = beta1 * m + (1 - beta1) * gradient
    v = beta2 * v + (1 - beta2) * gradient**2
    full_m = m / (1 - 0.9**t) if m_full else m
    full_v = v / (1 - 0.999**t) if v_full else v
    return w - rate * full_m / scale(full_v), m, v


def epsilon_inside_the_root(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, scale=lambda v: (v + 1e-8) ** 0.5)


def no_epsilon(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, scale=lambda v: v**0.5)


def no_epsilon_with_numpy(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, scale=lambda v: np.sqrt(v))


def no_root(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, scale=lambda v: v + 1e-8)


def nothing_corrected(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, m_full=False, v_full=False)


def m_not_corrected(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, m_full=False)


def v_not_corrected(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, v_full=False)


def uphill(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, rate=-0.1)


def no_rate(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, rate=1)


def parts_exchanged(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, beta1=0.1, beta2=0.001)


def betas_exchanged(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, beta1=0.999, beta2=0.9)


def half_the_rate(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t, rate=0.05)


def not_squared(w, gradient, m, v, t):
    m = 0.9 * m + 0.1 * gradient
    v = 0.999 * v + 0.001 * gradient
    return w - 0.1 * m / (1 - 0.9**t) / ((v / (1 - 0.999**t)) ** 0.5 + 1e-8), m, v


def square_of_the_momentum(w, gradient, m, v, t):
    m = 0.9 * m + 0.1 * gradient
    v = 0.999 * v + 0.001 * m**2
    return w - 0.1 * m / (1 - 0.9**t) / ((v / (1 - 0.999**t)) ** 0.5 + 1e-8), m, v


def t_begins_at_zero(w, gradient, m, v, t):
    t = t - 1
    return step_of(w, gradient, m, v, t)


def corrected_handed_back(w, gradient, m, v, t):
    m = (0.9 * m + 0.1 * gradient) / (1 - 0.9**t)
    v = (0.999 * v + 0.001 * gradient**2) / (1 - 0.999**t)
    return w - 0.1 * m / (v**0.5 + 1e-8), m, v


def gradient_in_place_of_momentum(w, gradient, m, v, t):
    m = 0.9 * m + 0.1 * gradient
    v = 0.999 * v + 0.001 * gradient**2
    return w - 0.1 * gradient / ((v / (1 - 0.999**t)) ** 0.5 + 1e-8), m, v


def root_before_the_correction(w, gradient, m, v, t):
    m = 0.9 * m + 0.1 * gradient
    v = 0.999 * v + 0.001 * gradient**2
    return w - 0.1 * m / (1 - 0.9**t) / (v**0.5 / (1 - 0.999**t) + 1e-8), m, v


def w_at_the_end(w, gradient, m, v, t):
    w, m, v = step_of(w, gradient, m, v, t)
    return m, v, w


def v_before_m(w, gradient, m, v, t):
    w, m, v = step_of(w, gradient, m, v, t)
    return w, v, m


def w_alone(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t)[0]


def w_and_m(w, gradient, m, v, t):
    return step_of(w, gradient, m, v, t)[:2]


def w_as_text(w, gradient, m, v, t):
    return "w", m, v


def the_engines_adam(w, gradient, m, v, t):
    parameter = Parameter(w)
    parameter.grad = gradient
    adam = Adam([parameter], rate=0.1)
    adam.steps, adam.momentum, adam.squares = t - 1, [m], [v]
    adam.step()
    return parameter.data, adam.momentum[0], adam.squares[0]


def moved(line, after):
    return {"line": line, "after": after}


WRONG: dict[str, list[tuple[Any, str]]] = {
    "11.1": [
        ({**MEAN, "m": 0.1 * (0.1 * 1.8 - 0.9) + 3.6}, "exchanged"),
        ({**MEAN, "m": 5 / 3}, "plain mean"),
        ({**MEAN, "m": 0.08}, "one too few"),
        ({**MEAN, "m": 0.9 * 1.7 + 0.4}, "other start"),
        ({**MEAN, "m": M / 0.271}, "corrected"),
        ({**MEAN, "m": 0.47}, "rounded"),
        ({**MEAN, "corrected": M}, "not corrected"),
        ({**MEAN, "corrected": M * 0.271}, "multiplied"),
        ({**MEAN, "corrected": M / 0.729}, "other part"),
        ({**MEAN, "corrected": M / 0.1}, "first step"),
        ({**MEAN, "corrected": M / 0.19}, "one too few"),
        ({**MEAN, "corrected": M / -1.7}, "times for power"),
        ({**MEAN, "corrected": 2}, "other"),
        ({**MEAN, "corrected": ...}, "unfinished"),
        ({"m": M}, "missing"),
    ],
    "11.2": [
        (uncorrected, "not corrected"),
        (parts_of_the_mean_exchanged, "exchanged"),
        (counted_from_zero, "counted from zero"),
        (correction_kept, "correction kept"),
        (same_correction, "same correction"),
        (multiplied, "multiplied"),
        (plain_means, "plain mean"),
        (mean_begun_with_the_first, "other start"),
        (begun_with_the_first_and_corrected, "other start"),
        (times_t, "times for power"),
        (beta_typed_in, "beta typed in"),
        (beta_typed_into_the_mean, "beta typed in"),
        (beta_typed_into_the_correction, "beta typed in"),
        (last_mean_alone, "one number"),
        (means_by_step, "type"),
        (half_of_each, "other"),
        (lambda gradients: gradients, "signature"),
    ],
    "11.3": [
        (epsilon_inside_the_root, "epsilon inside the root"),
        (no_epsilon, "no epsilon"),
        (no_epsilon_with_numpy, "no epsilon"),
        (not_squared, "not squared"),
        (square_of_the_momentum, "momentum squared"),
        (no_root, "no root"),
        (nothing_corrected, "nothing corrected"),
        (m_not_corrected, "m not corrected"),
        (v_not_corrected, "v not corrected"),
        (t_begins_at_zero, "one step late"),
        (corrected_handed_back, "corrected handed back"),
        (uphill, "uphill"),
        (no_rate, "rate forgotten"),
        (gradient_in_place_of_momentum, "no momentum"),
        (betas_exchanged, "betas exchanged"),
        (parts_exchanged, "parts exchanged"),
        (root_before_the_correction, "root first"),
        (w_at_the_end, "order"),
        (v_before_m, "order"),
        (half_the_rate, "other"),
        (w_alone, "w alone"),
        (w_and_m, "type"),
        (w_as_text, "text"),
        (the_engines_adam, "forbidden"),
    ],
    "11.4": [
        (dict.fromkeys(LONGER, 10), "scale forgotten"),
        (dict.fromkeys(LONGER, 1), "unchanged"),
        ({**LONGER, "momentum": 1}, "unchanged"),
        ({**LONGER, "Adam": 100}, "squared"),
        ({**LONGER, "Adam": 0.1}, "upside down"),
        ({**LONGER, "Adam": 10**0.5}, "root"),
        ({**LONGER, "gradient descent": 100}, "squared"),
        ({**LONGER, "gradient descent": -10}, "sign"),
        ({**LONGER, "momentum": 9}, "other"),
        ({**LONGER, "momentum": "more"}, "text"),
        ({**LONGER, "momentum": ...}, "unfinished"),
    ],
    "11.5": [
        (moved(6, 2), "worse"),
        (moved(11, 4), "worse"),
        (moved(7, 8), "nothing changed"),
        (moved(8, 11), "worse"),
        (moved(6, 11), "stops"),
        (moved(6, 10), "stops"),
        (moved(9, 10), "stops"),
        (moved(2, 4), "worse"),
        (moved(11, 10), "one parameter"),
        (moved(6, 7), "nothing changed"),
        (moved(6, 5), "not moved"),
        (moved(6, 6), "not moved"),
        (moved(5, 11), "unreadable"),
        (moved(12, 3), "no line"),
        (moved("6", 3), "text"),
        (moved(6, ...), "unfinished"),
    ],
}
