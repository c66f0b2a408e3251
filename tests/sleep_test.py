"""The processor time of a window in which nothing moves: less than 2 % of a core, also when it is hidden.

sleep_test.py PROGRAM     needs a display and xdotool
"""
import os
import subprocess
import sys
import tempfile
import time

MOST = 0.02  # of a core
SAMPLED_S = 10
TICKS = os.sysconf("SC_CLK_TCK")


def used_s(process):
    """The processor time of all threads, in seconds."""
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def share(process):
    before = used_s(process)
    time.sleep(SAMPLED_S)
    return (used_s(process) - before) / SAMPLED_S


def xdotool(*words):
    return subprocess.run(["xdotool", *words], check=True, capture_output=True, text=True).stdout.split()


def main():
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, XDG_CONFIG_HOME=folder, XDG_CACHE_HOME=folder)
        process = subprocess.Popen([sys.argv[1]], env=environment)
        try:
            window = xdotool("search", "--sync", "--pid", str(process.pid))[-1]
            for what, actions in (
                ("Single", []),
                ("Side", [["mousemove", "--window", window, "500", "400"], ["key", "--window", window, "2"]]),
                ("hidden", [["windowunmap", window]]),
            ):
                for action in actions:
                    xdotool(*action)
                # Two lanes are measured first, until they can be compared: 16 runs of each.
                for _ in range(8):
                    time.sleep(10)
                    used = share(process)
                    if used < MOST:
                        break
                print(f"{what}: {100 * used:.2f} % of a core")
                failed |= used >= MOST
            xdotool("windowmap", window)
            time.sleep(1)
            if process.poll() is not None:
                sys.exit("the program ended")
        finally:
            process.terminate()
            process.wait()
    sys.exit(failed)


main()
