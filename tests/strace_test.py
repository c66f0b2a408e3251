"""What a session of somebody else makes the window open: nothing for writing, and no connection but the display's.

strace_test.py PROGRAM     needs strace and a display
"""
import json
import os
import re
import subprocess
import sys
import tempfile

program = sys.argv[1]

SOURCES = [
    {"path": "lavfi:testsrc2,metadata=mode=print:file=written"},
    {"path": "lavfi:movie=http\\://127.0.0.1\\:9/a.mp4"},
    {"path": "lavfi:testsrc2,ladspa=f=./evil.so"},
    {"path": "http://127.0.0.1:9/a.png"},
    {"path": "rtsp://127.0.0.1:9/a"},
    {"path": "concat:a.mp4|b.mp4"},
    {"path": "file:/etc/passwd"},
    {"path": "/dev/video0"},
    {"path": "/etc/passwd"},
    {"path": "../outside.png"},
    {"path": "link.png"},
    {"path": "list.m3u8"},
    {"path": "pipe.png"},
    {"path": "inside.png"},
    {"path": "%099999999999d.png"},
    {"path": "a\u0000b.png"},
    {"camera": "/dev/video0"},
    {"pattern": "noise", "pattern_size": [1000000000, 1000000000]},
]


def calls(folder, arguments):
    """The calls that open for writing, connect, or start a program, without their numbers."""
    log = os.path.join(folder, "calls")
    environment = dict(os.environ, MESA_SHADER_CACHE_DISABLE="true", XDG_CONFIG_HOME=folder, XDG_CACHE_HOME=folder)
    command = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", log, "-e", "trace=file,network,process", program, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=120)
    if done.returncode not in (0, 2):
        sys.exit(f"{arguments}: ended with {done.returncode}\n{done.stderr.decode()}")
    changes = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|^(creat|rename|unlink|mkdir|symlink|link|truncate|chmod)|"
                         r"^(socket|connect|bind|sendto|execve)")
    found = set()
    with open(log, errors="replace") as lines:
        for line in lines:
            call = line.split(maxsplit=1)[1].strip()
            if changes.search(call) and "= -1 E" not in call and not call.startswith("execve(\"" + program):
                found.add(re.sub(r"\d+", "N", call))
    return found


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(place, "session")
        os.mkdir(folder)
        with open(os.path.join(place, "outside.png"), "w") as file:
            file.write("secret")
        os.symlink("../outside.png", os.path.join(folder, "link.png"))
        os.mkfifo(os.path.join(folder, "pipe.png"))
        with open(os.path.join(folder, "list.m3u8"), "w") as file:
            file.write("#EXTM3U\nhttp://127.0.0.1:9/a.ts\n")
        usual = calls(folder, ["--frames", "5"])
        if not any(call.startswith("connect") for call in usual):
            sys.exit("strace sees no connection to the display")
        for number, source in enumerate(SOURCES):
            session = os.path.join(folder, f"{number}.json")
            with open(session, "w") as file:
                json.dump({"convoscope_session": 1, "settings": {"source": source}}, file)
            more = calls(folder, [session, "--frames", "5"]) - usual
            if more:
                sys.exit(f"{source}:\n" + "\n".join(sorted(more)))
        print(f"{len(SOURCES)} sessions open nothing for writing and connect to nothing but the display")


main()
