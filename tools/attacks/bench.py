# SPDX-License-Identifier: MIT
"""What all attacks share: cases that can be repeated, the program to attack, and how its answers are judged.

An attack is a class with the name under which it is asked for. It is made once, `prepare` makes what its cases
share, and `case(rng, directory)` tries one thing: it returns a word for how the program survived, with the number
of tries if there was more than one, and raises Lost if it did not. Everything at random comes from `rng`, which
the seed, the attack and the number of the case give: the same case is the same again.
"""
import os
import random
import resource
import shutil
import signal
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PATIENCE = 300  # s, on a busy machine, that any single command may take
MEMORY = 3 << 30  # bytes that one command may take where it matters: others use the machine as well
DEAF = 5  # s of processor time between a signal that asks and the end
SANE = (0, 1, 2, 3)  # exit codes that the program has, but for that of Ctrl-C
SPEECH = 20000  # bytes that an error may take


class Lost(Exception):
    """The program did what it must not do; args[0] says what."""


class TooLong(Lost):
    """A command did not come to its end."""


class Unable(Exception):
    """This machine does not allow the attack; args[0] says why."""


ATTACKS = {}


def attack(kind):
    """Registers a class under its name."""
    ATTACKS[kind.name] = kind
    return kind


class Attack:
    name = ""  # for the command line
    about = ""  # a line for --list
    full = 0  # tries of a full run
    quick = 0  # tries of a quick one

    def __init__(self, programs, home, quick):
        self.programs = programs
        self.note = ""
        self.home = home  # a directory of this attack alone
        self.is_quick = quick

    def prepare(self):
        """Makes what all cases share."""

    def case(self, rng, directory):
        """One try, in a directory of its own; returns a word, or a word and how many tries it was."""
        raise NotImplementedError

    def finish(self):
        """After the last case, for what cases share: raises Lost. What else was seen goes into self.note."""

    def run(self, *arguments, **more):
        return run(self.programs.plain, *arguments, **more)

    def start(self, *arguments, **more):
        return start(self.programs.plain, *arguments, **more)

    def shared(self, *names):
        return os.path.join(self.home, *names)


class Programs:
    """Which builds of the program are attacked."""

    def __init__(self):
        self.plain = find(os.environ.get("HEDDLE"), "build/check/heddle", "build/heddle")
        self.guarded = find(os.environ.get("HEDDLE_SANITIZED"), "build/debug/heddle")
        beside = os.path.join(os.path.dirname(self.guarded), "tests", "heddle-many") if self.guarded else ""
        self.many = beside if os.access(beside, os.X_OK) else None


def find(given, *places):
    """The first program that is there, or None."""
    for place in [given] if given else [os.path.join(ROOT, p) for p in places]:
        if os.access(place, os.X_OK):
            return os.path.abspath(place)
    return None


def generator(seed, name, number):
    return random.Random(f"{seed}/{name}/{number}")


def environment(**more):
    """One thread, no cache but one that is asked for, and sanitizers that do not abort on huge requests."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "HEDDLE_CACHE": "",
            "ASAN_OPTIONS": f"allocator_may_return_null=1:detect_leaks=1:soft_rss_limit_mb={MEMORY >> 20}", "UBSAN_OPTIONS": "print_stacktrace=1",
            "LSAN_OPTIONS": f"suppressions={os.path.join(ROOT, 'tests', 'leaks.txt')}:print_suppressions=0", **more}


def start(program, *arguments, env=None, output=subprocess.DEVNULL, **more):
    return subprocess.Popen([program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=output,
                            stderr=output, env=env or environment(), **more)


class Answer:
    def __init__(self, code, out, errors, seconds, worked=None):
        """worked: s of processor time."""
        self.code, self.out, self.errors, self.seconds, self.worked = code, out, errors, seconds, worked

    def __str__(self):
        return f"exit code {self.code} after {self.seconds:.1f} s: {self.errors[-600:].strip()!r}"


def run(program, *arguments, codes=SANE, patience=PATIENCE, env=None, memory=None, **more):
    """Runs a command to its end and judges what every answer must keep to: an exit code of the program's own, a
    word for each failure, nothing from sanitizers, and an end. memory: bytes of address space that it may take."""
    command = [program, *map(str, arguments)]
    begin, worked = time.monotonic(), children_work()
    if memory:
        more["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=patience, env=env or environment(), **more)
    except subprocess.TimeoutExpired:
        raise TooLong(f"{words(command)}: no end after {patience} s") from None
    answer = Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"),
                    time.monotonic() - begin, children_work() - worked)
    judge(command, answer, codes)
    return answer


def children_work():
    """s of processor time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Many:
    """One process of a program that forks for each of its commands (tests/attack/many.c)."""

    def __init__(self, program):
        self.program = program
        self.process = None

    def start(self):
        self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment(), text=True)

    def stop(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait(timeout=PATIENCE)
            self.process.stdout.close()
            self.process = None

    def run(self, *arguments, cwd, codes=SANE, patience=PATIENCE):
        """As `run` does it."""
        if not self.process:
            self.start()
        command = [self.program, *map(str, arguments)]
        begin = time.monotonic()
        self.process.stdin.write("\t".join([str(patience), cwd, *command[1:]]) + "\n")
        self.process.stdin.flush()
        how, _, number = self.process.stdout.readline().strip().partition(" ")
        if how == "timeout":
            raise TooLong(f"{words(command)}: no end after {patience} s")
        check(how in ("exit", "signal"), f"{words(command)}: the process that forks has ended: {how}")
        out, errors = (read(os.path.join(cwd, name)).decode(errors="replace") for name in ("out", "err"))
        code = int(number) if how == "exit" else -int(number)
        answer = Answer(code, out, errors, time.monotonic() - begin)
        judge(command, answer, codes)
        return answer


def judge(command, answer, codes):
    if "Sanitizer" in answer.errors or "runtime error:" in answer.errors:
        at = max(0, answer.errors.find("runtime error:") - 200, answer.errors.find("Sanitizer") - 200)
        raise Lost(f"{words(command)}: {answer.errors[at:at + 1500]}")
    if answer.code < 0:
        raise Lost(f"{words(command)}: died by {signal.Signals(-answer.code).name}: {answer.errors[-600:]}")
    if codes is not None and answer.code not in codes:
        raise Lost(f"{words(command)}: {answer}, expected one of {codes}")
    if answer.code != 0 and not answer.errors.strip():
        raise Lost(f"{words(command)}: exit code {answer.code} without a word")
    if answer.code != 0 and len(answer.errors) > SPEECH:
        raise Lost(f"{words(command)}: {len(answer.errors)} bytes of error")


def words(command):
    return " ".join(os.path.relpath(w) if os.path.isabs(w) and w.startswith(os.getcwd()) else w for w in command)


def kill_after(process, seconds):
    """Kills a process that is still there after so long; whether it was."""
    try:
        process.wait(timeout=max(seconds, 0.0))
        return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=PATIENCE)
        return True


def stop_after(process, seconds, number):
    """The same with a signal that asks politely: the program may work two seconds and some, and ends by itself."""
    try:
        process.wait(timeout=max(seconds, 0.0))
        return False
    except subprocess.TimeoutExpired:
        process.send_signal(number)
    before = work_of(process.pid)
    wait_until(lambda: process.poll() is not None or work_of(process.pid) > before + DEAF, PATIENCE)
    if process.poll() is None:
        process.kill()
        process.wait()
        raise Lost(f"deaf to {number.name} for {DEAF} s of work, or {PATIENCE} s")
    # Before it listens, a signal ends it as it ends every program.
    check(process.returncode in (0, 130, -number), f"exit code {process.returncode} after {number.name}")
    return True


def work_of(pid):
    """s of processor time that a process has taken so far; 0 if it has ended."""
    try:
        words = read(f"/proc/{pid}/stat").rsplit(b")", 1)[1].split()
    except FileNotFoundError:
        return 0.0
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.002)


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


def write(path, content):
    with open(path, "wb" if isinstance(content, bytes) else "w") as out:
        out.write(content)
    return path


def tree(root):
    """All files below a directory with their content."""
    found = {}
    for directory, _, names in os.walk(root):
        for name in names:
            path = os.path.join(directory, name)
            found[os.path.relpath(path, root)] = read(path)
    return found


OWN = (".lock", "summary.json", "checkpoint.before")  # what two runs of one scene need not share


def results(root):
    return {path: data for path, data in tree(root).items() if path not in OWN}


def check_same(expected, found):
    """Two run directories, to the last bit."""
    a, b = results(expected), results(found)
    if sorted(a) != sorted(b):
        raise Lost(f"{found}: files {sorted(set(a) ^ set(b))[:6]} on one side only")
    for path in sorted(a):
        if a[path] != b[path]:
            raise Lost(f"{found}/{path} differs from that of an undisturbed run")


def check(condition, message):
    if not condition:
        raise Lost(message)


def fresh(directory):
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    return directory
