"""The scripts that shells load to complete radixtop, and where each looks for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from radixtop.completion.complete import known_shell, printed
from radixtop.printable import tell

_BASH = """\
_radixtop() {
    local IFS=$'\\n'
    COMPREPLY=($(radixtop --complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _radixtop radixtop
"""

_ZSH = """\
#compdef radixtop
_radixtop() {
    local -a found
    found=("${(@f)$(radixtop --complete zsh "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "$found[1]" ]]; then _describe radixtop found; else _files; fi
}
if [[ $funcstack[1] == _radixtop ]]; then _radixtop "$@"; else compdef _radixtop radixtop; fi
"""

_FISH = """\
function __radixtop_complete
    set -l found (radixtop --complete fish (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
    if count $found >/dev/null
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c radixtop -f -a '(__radixtop_complete)'
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def place_of(shell: str) -> Path:
    """Return the file that a shell loads by itself."""
    home = Path.home()
    match shell:
        case "bash":
            shared = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
            return shared / "bash-completion" / "completions" / "radixtop"
        case "zsh":
            return home / ".zfunc" / "_radixtop"
        case _:
            return (
                Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "fish" / "completions" / "radixtop.fish"
            )


def answer(arguments: Sequence[str]) -> None:
    """Answer `--complete SHELL WORD ...`, `--show-completion [SHELL]` and `--install-completion [SHELL]`.

    Raises UsageError for a shell that is not known, OSError for a file that cannot be written.
    """
    asked, *rest = arguments
    shell = known_shell(rest[0] if rest else os.environ.get("SHELL", ""))
    if asked == "--complete":
        sys.stdout.writelines(line + "\n" for line in printed(shell, rest[1:]))
    elif asked == "--show-completion":
        sys.stdout.write(SCRIPTS[shell])
    else:
        _install(shell)


def _install(shell: str) -> None:
    path = place_of(shell)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(SCRIPTS[shell], encoding="utf-8")
    tell(f"wrote {path}; a new {shell} completes radixtop")
    if shell == "zsh":
        tell("if it does not, put this into ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit; compinit")
