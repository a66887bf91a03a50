"""Print what makes a shell complete commands, options, runs and rules.

Bash: ``source <(tfperf completion bash)`` in ~/.bashrc. zsh: ``source <(tfperf completion zsh)`` in ~/.zshrc,
after compinit. fish: ``tfperf completion fish > ~/.config/fish/completions/tfperf.fish``.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator
from typing import Final

from tfperf_plugin import cli
from tfperf_plugin.cli.output import Output
from tfperf_plugin.judging import rules
from tfperf_plugin.records import Record

RUN: Final = "RUN"
LIST: Final = "RULE[,RULE]"
TRIAL: Final = "RULE:THRESHOLD=VALUE"
"""The metavars of options that take a run, rules with commas between them, or a threshold to try, after whose
"=" a value is yet to be given."""


class Option(Record, frozen=True):
    """An option of a command, or a positional argument (its ``name`` is empty)."""

    name: str
    help: str
    takes_value: bool
    values: tuple[str, ...]
    metavar: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares what ``tfperf completion`` takes."""
    parser.add_argument("shell", metavar="SHELL", choices=tuple(SHELLS), help=", ".join(SHELLS))
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "bash, in ~/.bashrc:                 source <(tfperf completion bash)\n"
        "zsh, in ~/.zshrc, after compinit:   source <(tfperf completion zsh)\n"
        "fish:  tfperf completion fish > ~/.config/fish/completions/tfperf.fish"
    )


def run(arguments: argparse.Namespace) -> Output:
    """``tfperf completion``."""
    return Output("\n".join(SHELLS[arguments.shell](_options())) + "\n")


def _options() -> dict[str, list[Option]]:
    """The options of each command, as its parser declares them."""
    parser = cli.parser(cli.COMMANDS)
    (commands,) = [a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    known = rules.RULES
    values = {
        "RULE_ID": tuple(rule.id for rule in known),
        LIST: tuple(rule.id for rule in known if not rule.trust),  # notes on the capture save nothing
        TRIAL: tuple(f"{rule.id}:{t.id}=" for rule in known for t in rule.thresholds if not t.fixed),
    }
    return {name: list(_of(command, values)) for name, command in commands.items()}


def _of(command: argparse.ArgumentParser, known: dict[str, tuple[str, ...]]) -> Iterator[Option]:
    for action in command._actions:
        metavar = str(action.metavar)
        values = known.get(metavar) or tuple(map(str, action.choices or ()))
        text = (action.help or "").partition(" (")[0].replace("%%", "%")
        for name in [each for each in action.option_strings if each.startswith("--")] or [""]:
            yield Option(name, text, action.nargs != 0, values, metavar)


def _quoted(words: tuple[str, ...] | list[str]) -> str:
    return shlex.quote(" ".join(words))


# Names of runs are data: no shell may expand them. That is why each is compared and quoted on its own.
def _bash(commands: dict[str, list[Option]]) -> Iterator[str]:
    yield r"""# tfperf: completion for bash
_tfperf_runs() {
  local word name places=()
  for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
    word=${word/#\~\//$HOME/}
    [[ -d $word ]] && places+=("$word")
  done
  ((${#places[@]})) || return
  [[ $2 == --new-run ]] && places=("${places[@]: -1}")
  while IFS= read -r name; do
    [[ $name == "$1"* ]] && COMPREPLY+=("$(printf %q "$name")")
  done < <(tfperf runs "${places[0]}" --format names 2>/dev/null)
}
_tfperf() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words="" before="" rule=""
  COMPREPLY=()
  if [[ $cur == : ]]; then cur=""; rule=$prev
  elif [[ $prev == : ]]; then rule=${COMP_WORDS[COMP_CWORD-2]}; fi
  [[ $rule ]] && prev=--try
  if [[ $cur == = ]]; then cur=""; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
  if ((COMP_CWORD == 1)); then"""
    yield f"    words={_quoted([*commands, '--help', '--version'])}"
    yield '  else case "${COMP_WORDS[1]} $prev" in'
    for command, options in commands.items():
        for option in options:
            if option.name and option.takes_value:
                does = f"words={_quoted(option.values)}"
                if option.metavar == RUN:
                    does = '_tfperf_runs "$cur" "$prev"; return'
                if option.metavar == LIST:
                    does += "; [[ $cur == *,* ]] && before=${cur%,*},; cur=${cur##*,}"
                if option.metavar == TRIAL:
                    does += "; compopt -o nospace 2>/dev/null"
                yield f'    "{command} {option.name}") {does};;'
    yield '    *) case "${COMP_WORDS[1]} $cur" in'
    for command, options in commands.items():
        yield f'      "{command} -"*) words={_quoted([o.name for o in options if o.name])};;'
        if values := [value for o in options if not o.name for value in o.values]:
            yield f'      "{command} "*) words={_quoted(values)};;'
    yield """    esac;;
  esac; fi
  COMPREPLY=($(compgen -P "$before" -W "$words" -- "${rule:+$rule:}$cur"))
  [[ $rule ]] && COMPREPLY=("${COMPREPLY[@]#*:}")
}
complete -o bashdefault -o default -F _tfperf tfperf"""


def _zsh(commands: dict[str, list[Option]]) -> Iterator[str]:
    yield r"""#compdef tfperf
_tfperf_runs() {
  local word
  local -a places
  for word in ${words[3,CURRENT-1]}; do
    word=${(Q)word}
    word=${word/#\~\//$HOME/}
    [[ -d $word ]] && places+=($word)
  done
  (( $#places )) || return
  [[ $1 == --new-run ]] && places=($places[-1])
  compadd -- ${(f)"$(tfperf runs $places[1] --format names 2>/dev/null)"}
}
_tfperf() {
  local prev=$words[CURRENT-1]
  if [[ $PREFIX == --*=* ]]; then prev=${PREFIX%%=*}; compset -P '*='; fi"""
    yield "  if (( CURRENT == 2 )); then"
    described = " ".join(_described(name, cli.COMMANDS[name]) for name in commands)
    yield f"    local -a commands=({described})"
    yield "    _describe command commands; return"
    yield "  fi"
    yield '  case "$words[2] $prev" in'
    for command, options in commands.items():
        for option in options:
            if option.name and option.takes_value:
                words = f"compadd -- {' '.join(option.values)}" if option.values else ":"
                if option.metavar == LIST:
                    words = f"compset -P '*,'; {words}"
                if option.metavar == TRIAL:
                    words = words.replace("compadd", "compadd -S ''", 1)
                does = "_tfperf_runs $prev" if option.metavar == RUN else words
                yield f'    "{command} {option.name}") {does}; return;;'
    yield "  esac"
    yield '  case "$words[2] $PREFIX" in'
    for command, options in commands.items():
        described = " ".join(_described(o.name, o.help) for o in options if o.name)
        yield f'    "{command} -"*) local -a options=({described}); _describe -o option options;;'
        if values := [value for o in options if not o.name for value in o.values]:
            yield f'    "{command} "*) compadd -- {" ".join(values)};;'
    yield """    *) _files;;
  esac
}
if [[ $funcstack[1] == _tfperf ]]; then _tfperf "$@"; else compdef _tfperf tfperf; fi"""


def _described(name: str, text: str) -> str:
    return shlex.quote(f"{name}:{text}")


def _fish(commands: dict[str, list[Option]]) -> Iterator[str]:
    yield r"""# tfperf: completion for fish
function __tfperf_runs
    set -l places
    for word in (commandline -opc)[3..]
        set word (string replace -r '^~/' $HOME/ -- $word)
        test -d $word; and set -a places $word
    end
    set -q places[1]; or return
    set -l place $places[1]
    test "$argv[1]" = --new-run; and set place $places[-1]
    tfperf runs $place --format names 2>/dev/null
end
complete -c tfperf -n __fish_use_subcommand -l help -l version"""
    for command, options in commands.items():
        summary = _fish_quoted(cli.COMMANDS[command])
        yield f"complete -c tfperf -n __fish_use_subcommand -f -a {command} -d {summary}"
        for option in options:
            line = f"complete -c tfperf -n '__fish_seen_subcommand_from {command}'"
            values = f"(__tfperf_runs {option.name})" if option.metavar == RUN else " ".join(option.values)
            if option.name:
                line += f" -l {option.name[2:]} -d {_fish_quoted(option.help)}"
                line += " -x" if option.takes_value else ""
            elif not values:
                continue
            yield line + (f" -f -a {_fish_quoted(values)}" if values else "")


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: Final[dict[str, Callable[[dict[str, list[Option]]], Iterator[str]]]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
