"""What the checks of `crosswind reproduce` share: files of an experiment, pictures, progress, and being stopped."""
import csv
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time
import xml.etree.ElementTree

from crosswind import PROGRAM


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def check_pictures(folder, expected):
    """EXPECTED: by picture, texts that must stand in it. No other picture may be there, each needs its script."""
    for name, texts in expected.items():
        path = folder / f"{name}.svg"
        root = xml.etree.ElementTree.parse(path).getroot()
        drawn = " ".join("".join(element.itertext()).strip() for element in root.iter() if element.tag.endswith("}text"))
        for text in texts:
            if text not in drawn:
                yield f"{path.name} does not say: {text}"
        if not path.with_suffix(".gp").exists():
            yield f"{path.name} has no script"
    left = {path.stem for path in folder.glob("*.svg")} - set(expected)
    if left:
        yield f"unexpected pictures {left}"


def check_readme(path, claims, words):
    readme = " ".join(path.read_text().split())
    for row in claims:
        if row["found"] not in readme:
            yield f"{path.name} does not say: {row['found']}"
    for text in words:
        if text not in readme:
            yield f"{path.name} does not say: {text}"


def check_progress(folder, arguments, points, figures):
    """On a terminal: which point of how many, in order, a share that never falls, and the FIGURES one after another."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    program = subprocess.Popen([PROGRAM, "reproduce", *arguments, "--threads", "2", "--directory", folder],
                               stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 65536):
            shown += chunk
    except OSError:  # the end of a terminal
        pass
    os.close(master)
    if program.wait() != 0:
        yield "with a terminal it fails"
    lines = re.findall(rf"point (\d+) of {points} \(figure (\w+)\) .*?(\d+) %", shown.decode())
    numbers, shares = [int(number) for number, _, _ in lines], [int(share) for _, _, share in lines]
    seen = [figure for _, figure, _ in lines]
    if numbers != sorted(numbers) or shares != sorted(shares) or not numbers or numbers[-1] != points:
        yield f"progress is {lines}"
    if sorted(set(seen), key=seen.index) != figures or seen != sorted(seen, key=figures.index):
        yield f"the figures are {seen}"


def stop(arguments, folder, ready):
    """Ctrl-C once READY() is true. Returns what is on standard output and in the message."""
    program = subprocess.Popen([PROGRAM, "reproduce", *arguments, "--directory", folder, "--format", "json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(60000):
        if ready() or program.poll() is not None:
            break
        time.sleep(0.01)
    program.send_signal(signal.SIGINT)
    result, message = program.communicate()
    return program.returncode, result, message
