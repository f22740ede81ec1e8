"""Budget sets of portfolio work at dimension 30, against linear programs and simpler sets."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from set_table_budgets import grouped, long_short, turnover_simplex

from wolfnest.sets import (
    CappedSimplex,
    GroupCapped,
    L1Ball,
    LongShort,
    Shifted,
    Simplex,
    TurnoverBall,
    TurnoverSimplex,
)

jax.config.update("jax_enable_x64", True)

N = 30
RNG = np.random.default_rng(0)
LABELS = RNG.integers(-1, 4, N)
GROUP_CAPS = np.array([0.3, 0.1, 0.25, 0.4])
CAPS = RNG.uniform(0, 0.15, N)
LOWER, UPPER = RNG.uniform(-0.2, 0.02, N), RNG.uniform(-0.02, 0.2, N)
LOWER, UPPER = np.minimum(LOWER, UPPER), np.maximum(LOWER, UPPER)
HELD = RNG.dirichlet(np.ones(N))
SHORT = HELD - 0.01  # some are negative, and one of them above its cap

lmo = jax.jit(lambda c, d: c.lmo(d))
project = jax.jit(lambda c, x: c.project(x))
contains = jax.jit(lambda c, x: c.contains(x, 1e-10))
many = jax.jit(jax.vmap(lambda c, d: c.lmo(d), in_axes=(None, 0)))

# Every set with the linear program that it stands for.
LARGE = {
    "group caps": (
        GroupCapped(LABELS, GROUP_CAPS, CAPS, 0.9),
        grouped(LABELS, GROUP_CAPS, CAPS, 0.9),
    ),
    "130/30": (LongShort(N), long_short(N, 1.6, 1.0)),
    "market neutral, L1 ∩ box ∩ sum": (
        LongShort(N, 0.7, 0.0, -0.1, 0.05),
        long_short(N, 0.7, 0.0, -0.1, 0.05),
    ),
    "own bounds": (LongShort(N, 2.0, 0.3, LOWER, UPPER), long_short(N, 2.0, 0.3, LOWER, UPPER)),
    "a gross limit that no point reaches": (
        LongShort(N, 90.0, 0.3, LOWER, UPPER),
        long_short(N, 90.0, 0.3, LOWER, UPPER),
    ),
    "turnover": (TurnoverSimplex(HELD, 0.3, 0.2), turnover_simplex(HELD, 0.3, 0.2)),
    "turnover from short positions": (
        TurnoverSimplex(SHORT, 0.9, 0.1),
        turnover_simplex(SHORT, 0.9, 0.1),
    ),
}


@pytest.mark.parametrize("name", LARGE)
def test_oracle_at_moderate_dimension(name):
    rng = np.random.default_rng(1)
    c, program = LARGE[name]
    for d in (rng.standard_normal(N), np.round(rng.standard_normal(N)), rng.uniform(-1, 0, N)):
        s = np.asarray(lmo(c, d))
        assert contains(c, s)
        assert s @ d == pytest.approx(program.support(d), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in LARGE if name != "group caps"])
def test_projection_at_moderate_dimension(name):
    """`<x - p, s>` is largest at `s = p`."""
    rng = np.random.default_rng(2)
    c, program = LARGE[name]
    middle = np.asarray(c.start())
    for x in (
        middle + 0.1 * rng.standard_normal(N),
        5 * rng.standard_normal(N),
        np.round(3 * rng.standard_normal(N)),
        1e6 * rng.standard_normal(N),
    ):
        p = np.asarray(project(c, x))
        assert contains(c, p)
        away = (x - p) / np.linalg.norm(x - p)
        assert away @ p == pytest.approx(-program.support(-away), rel=1e-7, abs=1e-8)


def same(one, other):
    """Two sets that are one."""
    rng = np.random.default_rng(3)
    for x in (*rng.standard_normal((3, N)), np.full(N, 1e-3)):
        np.testing.assert_allclose(lmo(one, x), lmo(other, x), atol=1e-12)
        np.testing.assert_allclose(project(one, x), project(other, x), atol=1e-12)


def test_special_parameters_give_known_sets():
    same(LongShort(N, gross=2.0, net=2.0), Simplex(N, 2.0))
    same(LongShort(N, gross=9.0, net=1.0, lower=0.0, upper=0.2), CappedSimplex(N, 0.2))
    same(TurnoverSimplex(HELD, 9.0, 0.2), CappedSimplex(N, 0.2))
    same(TurnoverBall(HELD, 0.5), Shifted(L1Ball(N, 0.5), HELD))
    d = np.random.default_rng(4).standard_normal(N)
    alone = GroupCapped([-1] * N, [], CAPS)
    np.testing.assert_allclose(lmo(alone, d), lmo(CappedSimplex(N, CAPS), d), atol=1e-14)
    by_name = GroupCapped([f"sector {i}" for i in LABELS], {"sector 0": 0.3, "sector 2": 0.25})
    by_number = GroupCapped([{0: 0, 2: 1}.get(i, -1) for i in LABELS], [0.3, 0.25])
    np.testing.assert_array_equal(lmo(by_name, d), lmo(by_number, d))


@pytest.mark.parametrize("name", LARGE)
def test_a_vertex_has_the_same_bits_from_everywhere(name):
    """Active sets find a vertex again by its bits."""
    c, _ = LARGE[name]
    rng = np.random.default_rng(5)
    # Entries that keep their place, with an order among neighbours that changes.
    levels = np.repeat(np.arange(6.0), 5) * 3
    found = np.asarray(many(c, levels + rng.uniform(size=(300, N))))
    known = {}
    for s in found:
        known.setdefault(tuple(np.round(s, 12)), set()).add(s.tobytes())
    assert 1 < len(known) < 300
    assert all(len(bits) == 1 for bits in known.values())


def test_rounding_is_not_invested():
    """Ten caps of 0.1 make a budget of 1, whatever their sum is: nothing is left for others."""
    d = np.random.default_rng(6).standard_normal((20, N))
    for c in (
        GroupCapped([0] * N, [1.0], 0.1),
        GroupCapped([0] * 15 + [1] * 15, [0.3, 0.7], 0.1),
        LongShort(N, gross=1.0, net=1.0, upper=0.1),
    ):
        assert set(np.unique(many(c, d))) == {0.0, 0.1}


def test_the_gross_limit_binds_only_where_it_must():
    d = jnp.array([-1.0, 0.5, 2.0, -3.0])
    np.testing.assert_allclose(lmo(LongShort(4, 1.6), d), [0, 0, -0.3, 1.3], atol=1e-15)
    np.testing.assert_allclose(lmo(LongShort(4, 1.0), d), [0, 0, 0, 1])
    wide = lmo(LongShort(4, 100.0, lower=-0.5, upper=1.0), d)
    np.testing.assert_allclose(wide, [1, -0.5, -0.5, 1])
    assert float(LongShort(4, 1.6).diameter) == pytest.approx(1.6 * 2**0.5)


def test_what_must_be_sold_is_sold_first():
    held = np.array([0.7, 0.4, -0.1])
    c = TurnoverSimplex(held, turnover=0.6, cap=0.5)
    assert np.abs(c.start() - held).sum() == pytest.approx(0.4)
    # Two tenths of the first must go, and one is needed to close the third; a tenth is left.
    np.testing.assert_allclose(lmo(c, jnp.array([0.0, 0.0, -1.0])), [0.5, 0.3, 0.2], atol=1e-12)


def test_sets_can_be_made_inside_a_transformation():
    d = jnp.array([1.0, -2.0, 3.0, 0.5])

    def points(size):
        parts = (
            GroupCapped([0, 0, 1, 1], size * jnp.array([0.5, 1.0]), 0.4 * size, size),
            LongShort(4, 1.5 * size, size, -size, size),
            TurnoverSimplex(size * jnp.array([0.1, 0.2, 0.3, 0.4]), 0.4 * size, 0.5 * size),
            TurnoverBall(size * jnp.array([0.1, 0.2, 0.3, 0.4]), size),
        )
        return jnp.stack([c.lmo(d) for c in parts])

    one, three = jax.jit(jax.vmap(points))(jnp.array([1.0, 3.0]))
    np.testing.assert_allclose(three, 3 * one, rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GroupCapped([], []), "groups must have one label per asset, got none"),
        (lambda: GroupCapped(["a"], {"b": 1.0}), "group_caps has 'b', but no asset in groups"),
        (lambda: GroupCapped([0, 2], [1.0, 1.0]), r"groups\[1\], with 2 group_caps, must be at mo"),
        (lambda: GroupCapped([0, -2], [1.0]), r"groups\[1\], with 1 group_caps, must be a whole"),
        (lambda: GroupCapped([0, 0], [-1.0]), r"group_caps must be at least 0, got -1.0 at index"),
        (lambda: GroupCapped([0, 0], [1.0], [0.5] * 3), r"caps must be .* shape \(2,\), got \(3,"),
        (lambda: GroupCapped([0, 0], [1.0], np.nan), "caps must be a number, got nan"),
        (lambda: GroupCapped([0, 0], [0.5]), "must leave room for the radius, 1.0, got room for 0"),
        (lambda: GroupCapped([0, 0], [1.0], radius=0.0), "radius must be a positive"),
        (lambda: LongShort(0), "dim must be a whole number"),
        (lambda: LongShort(3, gross=-1.0), "gross must be a positive"),
        (lambda: LongShort(3, net=np.inf), "net must be a finite number"),
        (
            lambda: LongShort(3, gross=1.0, net=-1.5),
            r"at least \|net\|, got gross = 1",
        ),
        (
            lambda: LongShort(2, lower=[0.0, np.nan]),
            r"lower must be a number, got nan at",
        ),
        (lambda: LongShort(2, upper=np.ones(3)), r"upper must be a number or have shape \(2,\)"),
        (lambda: LongShort(2, lower=[0, 1], upper=0.5), "lower = 1.0 > upper = 0.5 at index 1"),
        (lambda: LongShort(2, lower=0.0, upper=0.3), "net must lie between .* 0 and 0.6, got 1.0"),
        (
            lambda: LongShort(2, lower=[1.5, -2.0]),
            r"gross must be at least 2 to meet net = 1.0 and the bounds, got 1.6",
        ),
        (lambda: TurnoverBall([], 1.0), "weights must be a vector with at least one entry"),
        (lambda: TurnoverBall([0.5, 0.5], 0.0), "radius must be a positive"),
        (lambda: TurnoverSimplex([[1.0]], 1.0), "weights must be a vector"),
        (lambda: TurnoverSimplex([np.nan, 1.0], 1.0), r"weights must be finite, got nan at index"),
        (lambda: TurnoverSimplex([0.5, 0.5], -0.1), "turnover must be a positive"),
        (lambda: TurnoverSimplex([0.5, 0.5], 1.0, cap=-1.0), "cap must be at least 0, got -1.0"),
        (lambda: TurnoverSimplex([0.5, 0.5], 1.0, cap=0.3), "sum between 0 and that of the caps"),
        (lambda: TurnoverSimplex([0.9, 0.1], 0.1, cap=0.5), "turnover must be at least 0.8 to bri"),
    ],
)
def test_bad_parameters_are_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message):
        make()
