"""The order of the common tests."""

from __future__ import annotations


def pytest_collection_modifyitems(items):
    """All tests of a set follow each other. Compiled programs are dropped now and then: test by
    test, those of every set would be traced anew for almost every one."""
    places = [i for i, item in enumerate(items) if item.path.stem == "test_set_properties"]
    if not places:
        return
    from all_sets import EVERY

    order = {id(case): i for i, case in enumerate(EVERY.values())}
    case = lambda item: item.callspec.params.get("case") if hasattr(item, "callspec") else None
    grouped = sorted((items[i] for i in places), key=lambda item: order.get(id(case(item)), -1))
    for i, item in zip(places, grouped, strict=True):
        items[i] = item
