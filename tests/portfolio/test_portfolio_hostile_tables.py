"""Every file of the corpus gives what it must: right numbers, or an error that says what to do."""

import numpy as np
import pytest
from hostile_tables import CASES

from wolfnest.datasets import DataError
from wolfnest.portfolio.reading import read


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_table(name, tmp_path):
    case = CASES[name]
    path = tmp_path / case.name
    path.write_bytes(case.content)
    if case.refused:
        with pytest.raises(DataError) as error:
            read(path, **case.options)
        assert case.says in str(error.value)
        return
    found = read(path, **case.options)
    assert case.says in "\n".join(found.notes)
    values = found.frame.to_numpy()
    assert np.isfinite(values).all()
    if case.rows is not None:
        assert len(found.frame) == case.rows
    if case.first is not None:
        assert str(found.dates[0].date()) == case.first
    if case.last is not None:
        assert str(found.dates[-1].date()) == case.last
    if case.size is not None:
        assert 0.5 < np.median(np.abs(values)) / case.size < 2
    if case.values is not None:
        assert values == pytest.approx(np.array(case.values))
