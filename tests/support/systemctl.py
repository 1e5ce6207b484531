#!/usr/bin/python3
"""A stand-in for systemctl where systemd doesn't run: starts a unit's ExecStart as its user, with its environment."""

import os
import pwd
import re
import subprocess
import sys
from pathlib import Path

UNITS = ("/etc/systemd/system", "/lib/systemd/system")


def start(name: str) -> None:
    [path] = [folder / f"{name}.service" for folder in map(Path, UNITS) if (folder / f"{name}.service").exists()][:1]
    lines = re.findall(r"^(\w+)=(.*)$", path.read_text(), re.MULTILINE)
    [command] = [value for key, value in lines if key == "ExecStart"]
    user = pwd.getpwnam(next(value for key, value in lines if key == "User"))
    variables = {"PATH": os.environ["PATH"], "HOME": user.pw_dir}
    for value in (value for key, value in lines if key == "Environment"):
        variables |= dict(pair.split("=", 1) for pair in value.split())
    for file in (Path(value.lstrip("-")) for key, value in lines if key == "EnvironmentFile"):
        if file.exists():
            variables |= dict(line.split("=", 1) for line in file.read_text().splitlines() if "=" in line)
    for folder in (value for key, value in lines if key == "StateDirectory"):
        state = Path("/var/lib") / folder
        state.mkdir(mode=0o700, exist_ok=True)
        os.chown(state, user.pw_uid, user.pw_gid)
    folder = next((value for key, value in lines if key == "WorkingDirectory"), "/")
    with open(f"/var/log/{name}.log", "w") as log:
        subprocess.Popen(
            command.split(), cwd=folder, env=variables, user=user.pw_uid, group=user.pw_gid, extra_groups=[],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip


if __name__ == "__main__":
    action, *names = [word for word in sys.argv[1:] if not word.startswith("--")]
    for name in names if action in ("enable", "restart") else ():
        start(name)
