#!/usr/bin/env python3
"""complete.py SHELL SHARE - checks what a shell offers for command lines

Each line of standard input is an unfinished command line, a colon, and the
words that must be offered for its last word, and no others.  Types the command
line into an interactive bash or zsh at a terminal, followed by a tab, or asks
fish.  SHARE is the share/ folder of the installation.  The slash of a directory
does not count, nor does the name in --name=value.  Prints the differences; exit
status 1 if there is one.
"""

import os
import pty
import re
import subprocess
import sys
import tempfile
import termios

DONE, READY = "<done>", "<ready>"
START = {
    "bash": r"""
PS1=$READY PROMPT_COMMAND='echo "$DONE"'
bind 'set show-all-if-ambiguous on' 'set completion-query-items 0'
bind 'set page-completions off'; bind 'set enable-bracketed-paste off'
. /usr/share/bash-completion/bash_completion
""",
    # What functions give to compadd and fits the word goes to a file: zsh does
    # not show it while more input is waiting.
    "zsh": r"""
PS1=$READY PROMPT_EOL_MARK=
precmd() { echo "$DONE" }
fpath=($SHARE/zsh/site-functions $fpath)
autoload -Uz compinit && compinit -u -D
unsetopt zle_bracketed_paste 2>/dev/null; unset zle_bracketed_paste
compadd() {
    local -a fitting
    if [[ ${@[1,(i)(-|--)]} != *-[OAD]* ]]; then
        builtin compadd -O fitting "$@"; print -rn -- "$fitting " >>$OFFERED
    fi
    builtin compadd "$@"
}
bindkey -e
""",
}
COMMAND = {"bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"]}
ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[=>])|[\r\x00\x07\x08]")


def read_until_ready(terminal):
    """What the shell has written until it had executed a line.  It then
    reads the next one; what is typed before that may be lost."""
    text = ""
    while READY not in text.partition(DONE)[2]:
        text += os.read(terminal, 65536).decode(errors="replace")
    return ESCAPES.sub("", text.partition(DONE)[0]).replace(READY, " ")


def at_terminal(shell, lines, offered):
    """The words that bash or zsh offers for each line."""
    offers = []
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(TERM="vt100", OFFERED=offered, DONE=DONE,
            READY=READY, INPUTRC="/dev/null")
        os.execvp(shell, COMMAND[shell])
    termios.tcsetwinsize(terminal, (50, 300))
    with open(offered + ".start", "w") as f:
        f.write(START[shell])
    os.write(terminal, f". '{offered}.start'\n".encode())
    read_until_ready(terminal)
    for line in lines:
        open(offered, "w").close()
        # ^U removes the line.
        os.write(terminal, f"{line}\t\x15\n".encode())
        text = read_until_ready(terminal)
        if shell == "zsh":
            text = open(offered).read()
        offers.append(set(text.split()) - set(line.split()))
    os.close(terminal)
    os.waitpid(pid, 0)
    return offers


def in_fish(lines):
    script = "while read -l line; complete -C $line; echo '<end>'; end"
    out = subprocess.run(["fish", "-c", script], text=True, check=True,
        input="".join(l + "\n" for l in lines), stdout=subprocess.PIPE).stdout
    return [{offer.split("\t")[0] for offer in answer.splitlines()}
        for answer in out.split("<end>\n")]


def main():
    shell, share = sys.argv[1:]
    cases = [l.rstrip("\n").rsplit(":", 1) for l in sys.stdin]
    lines = [line for line, _ in cases]
    os.environ["SHARE"] = share
    os.environ["XDG_DATA_DIRS"] = share + ":/usr/share"
    with tempfile.TemporaryDirectory() as folder:
        offers = (in_fish(lines) if shell == "fish" else
            at_terminal(shell, lines, folder + "/offered"))
    status = 0
    for (line, wanted), offer in zip(cases, offers):
        words = {word.rstrip("/").rpartition("=")[2] for word in offer}
        if words != set(wanted.split()):
            print(f"{shell}, '{line}': offers {sorted(words)}, not{wanted}")
            status = 1
    sys.exit(status)


main()
