"""Settings of the whole suite: 64-bit floats are on, and float32 must stay float32 all the same."""

import jax
from hypothesis import settings

jax.config.update("jax_enable_x64", True)

settings.register_profile("wolfnest", deadline=None, derandomize=True)
settings.load_profile("wolfnest")
