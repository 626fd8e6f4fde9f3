# SPDX-License-Identifier: Apache-2.0
"""The bars: what share of mod_dav_svn's use mod_repo may have at most.

They hold under prefork, against mod_dav_svn as it is by default, with a cache
of the same size.
"""

#: CPU time, warm.
WARM = {"export": 0.35, "export-bulk": 0.35, "log-v": 0.35, "log-v-g": 0.35,
        "blame": 0.35, "propfind": 0.4}
WARM_LIST_OF_WIDE = 0.4
WARM_LARGE = {"8": 0.6, "6": 0.9}  # by format
LARGE = ("get-text", "get-noise")
#: Any operation, cold.
COLD = {"cpu_seconds": 0.7, "wall_seconds": 1.1, "disk_bytes": 1.0,
        "seeks": 1.0}
COLD_LOOSE_LOG = 0.5  # disk bytes and seeks
LOGS = ("log", "log-v", "log-v-g")
LABELS = {"cpu_seconds": "CPU", "wall_seconds": "wall", "disk_bytes": "disk",
          "seeks": "seeks"}


def of_cell(cell):
    """The bars of a cell: {name of the ratio: at most}."""
    operation = cell["operation"]
    if cell["mpm"] != "prefork" or cell["tuned"]:
        return {}
    if cell["start"] == "cold":
        found = dict(COLD)
        if operation in LOGS and cell["format"].endswith("loose"):
            found.update(disk_bytes=COLD_LOOSE_LOG, seeks=COLD_LOOSE_LOG)
        return found
    if cell["start"] != "warm":
        return {}
    if operation in WARM:
        return {"cpu_seconds": WARM[operation]}
    if operation == "list" and cell["repository"] == "wide":
        return {"cpu_seconds": WARM_LIST_OF_WIDE}
    if operation in LARGE:
        return {"cpu_seconds": WARM_LARGE[cell["format"][0]]}
    return {}


def judge(cell):
    """[(label, bar, is it met)] of a measured cell. A ratio that was not
    measured is left out; where mod_dav_svn used nothing, so must we."""
    found = []
    for name, bar in of_cell(cell).items():
        ratio, ours = cell["ratio"][name], cell["mod_repo"][name]
        if ours is not None:
            found.append((LABELS[name], bar,
                          ratio <= bar if ratio is not None else ours == 0))
    return found
