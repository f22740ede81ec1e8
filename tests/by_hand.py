"""A run stepped by hand through `solver.init`, `solver.step` and `solver.begin_stage`."""

import equinox as eqx
import jax

from wolfnest.running import streams

_step = eqx.filter_jit(lambda solver, *arguments: solver.step(*arguments))
_init = eqx.filter_jit(lambda solver, *arguments: solver.init(*arguments))
_begin_stage = eqx.filter_jit(lambda solver, *arguments: solver.begin_stage(*arguments))
_draw = eqx.filter_jit(lambda estimator, *arguments: estimator.draw(*arguments))


def states(problem, solver, steps, key=0):
    """The states x_1, x_2, … of every stage, with the batches that `solve` would draw."""
    key = jax.random.key(key) if isinstance(key, int) else key
    stages = solver.schedule.stages(steps, problem.composition.largest)

    def batch(size, *stream):
        place = key
        for number in stream:
            place = jax.random.fold_in(place, number)
        return _draw(solver.estimator, problem.composition, place, size)

    exact = solver.estimator.exact_start
    first = None if exact else batch(solver.first_batch(stages), streams.INIT)
    state, number, result = _init(solver, problem, problem.start(), first), 0, []
    for place, stage in enumerate(stages):
        if place:
            again = None
            if stage.restart is not None and not exact:
                again = batch(stage.restart, streams.STAGES, place)
            state = _begin_stage(solver, problem, state, stage, again)
        visited = [state]
        for j in range(stage.steps):
            samples = batch(stage.batch, streams.STEPS, number)
            state, _ = _step(solver, problem, state, samples, stage.at(j))
            number += 1
            visited.append(state)
        result.append(visited)
    return result
