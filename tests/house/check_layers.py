#!/usr/bin/python3
"""Refuses an include that docs/architecture.md does not allow. A room is a folder; an arrow means "may include".

Usage: check_layers.py [ROOT]. Prints each forbidden include and exits 1 when there is one."""
import pathlib
import re
import sys

# Direct arrows; what a room reaches is their transitive closure.
ARROWS = {
    "engine/base": [],
    "engine/work": ["engine/base"],
    "engine/exchange": ["engine/base"],
    "gpu": ["engine/base"],
    "gpu/cpu": ["gpu"],
    "gpu/vulkan": ["gpu"],
    "engine/model": ["gpu", "engine/base"],
    "engine/training": ["engine/model", "engine/exchange", "engine/work"],
    "engine/transfer": ["engine/work"],
    "engine/host": ["engine/base"],
    "engine/agent": ["engine/transfer", "engine/host"],
    "engine/programs/trainer": ["engine/training"],
    "engine/programs/daemon": ["engine/agent"],
    "engine/programs/ctl": ["engine/agent"],
    "app": ["engine/agent"],
    "server": ["engine/exchange", "engine/work", "engine/model"],
}
# Outside libraries that only some rooms may see: header pattern -> rooms.
LIBRARIES = {
    r"^(ATen|torch|c10)/": ["gpu/cpu"],
    r"^vulkan/": ["gpu/vulkan"],
    r"^curl/": ["engine/transfer"],
    r"^boost/(beast|asio)": ["server/api"],
    r"^soci": ["server/store"],
    r"^sqlite3\.h": ["engine/agent"],
    r"^Q[A-Z]": ["app", "engine/agent", "engine/host", "engine/programs"],
    r"^QtCharts": ["app"],
    # app/tray looks for the host of its icon; what the computer does is engine/host's business.
    r"^QtDBus|^QDBus": ["engine/host", "app/tray"],
    r"^(QWidget|QApplication|QLabel|QMainWindow|QPainter|QIcon)": ["app"],
    r"^xcb/": ["engine/host", "app/tray"],
    r"^sentencepiece": ["engine/model"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def room_of(path):
    """The longest room name that is a prefix of the path, or None outside the rooms."""
    rooms = [room for room in ARROWS if path == room or path.startswith(room + "/")]
    return max(rooms, key=len, default=None)


def reachable(room):
    seen, queue = {room}, [room]
    while queue:
        for target in ARROWS[queue.pop()]:
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return seen


def faults_in(root, file):
    relative = file.relative_to(root).as_posix()
    room = room_of(relative)
    if room is None:
        return
    allowed = reachable(room)
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        own, outside = match.groups()
        if own and (root / own).exists():
            target = room_of(own)
            if target not in allowed:
                yield f"{relative}:{number}: {room} may not include {target or own} ({own})"
        for pattern, rooms in LIBRARIES.items():
            if outside and re.match(pattern, outside) and not any(relative.startswith(r + "/") for r in rooms):
                yield f"{relative}:{number}: only {', '.join(rooms)} may include <{outside}>"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    sources = [f for top in ("engine", "gpu", "server", "app") for f in sorted((root / top).rglob("*"))
               if f.suffix in (".h", ".cpp", ".cu", ".cuh")]
    faults = [fault for file in sources for fault in faults_in(root, file)]
    print("\n".join(faults) if faults else f"{len(sources)} files follow the arrows")
    return 1 if faults or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
