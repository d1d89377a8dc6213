"""A gradient can be measured in a model, whatever holds the number, which is put back."""

import numpy as np
import pytest

from engine import Parameter, measured_gradient
from engine.arrays import Array
from engine.replay import ParameterVector, Replay


def test_the_number_may_stand_in_a_parameter_an_array_or_a_vector() -> None:
    w, v = Parameter(3.0), Parameter(5.0)
    array = Array([[3.0, 5.0]])
    vector = ParameterVector([w, v])
    replay = Replay(w * w * v, vector)
    assert measured_gradient(lambda: w * w * v, w) == pytest.approx(30.0)
    assert measured_gradient(lambda: (array**3).sum(), array, (0, 1)) == pytest.approx(75.0)
    assert measured_gradient(replay.forward, vector, 1) == pytest.approx(9.0)
    assert (w.data, array.data.tolist(), vector.data.tolist()) == (3.0, [[3.0, 5.0]], [3.0, 5.0])


def test_the_number_is_put_back_after_an_error() -> None:
    w = Parameter(3.0)
    with pytest.raises(ZeroDivisionError):
        measured_gradient(lambda: 1 / 0, w)
    assert w.data == 3.0
    assert np.isclose(measured_gradient(lambda: w * w, w, step=0.5), 6.0)
