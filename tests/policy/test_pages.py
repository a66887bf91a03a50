"""Rules are a page and a measurement: pages are whole, and sentences are whole and have been said."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator

import pytest

from tests.policy.said import sentences, source, text_of, unsaid
from tfperf_plugin.analysis.artifacts.capture.program import CONDITIONS, Name, Program
from tfperf_plugin.judging.engine.page import AUDIENCES, EXAMPLE_BEGIN, EXAMPLE_END, Page, PageError, parse
from tfperf_plugin.judging.engine.rule import Rule
from tfperf_plugin.judging.rules import RULES

FRAMEWORKS: tuple[Name, ...] = ("Keras", "custom loop", "JAX", "PyTorch")

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


def calls_of_say(rule: Rule) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(text_of(rule))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
            yield node


def said(given: ast.expr, tree: ast.AST, at: int | None = None) -> list[ast.expr]:
    """The sentences that an argument of ``say`` may be, chosen by conditions, in variables, or from a table.

    ``at``: the place in a tuple, for variables that are assigned together.
    """
    match given:
        case ast.IfExp():
            return [*said(given.body, tree, at), *said(given.orelse, tree, at)]
        case ast.Tuple() if at is not None:
            return said(given.elts[at], tree)
        case ast.Tuple():
            return [one for element in given.elts for one in said(element, tree)]
        case ast.Subscript():
            return said(given.value, tree)
        case ast.Name() if not given.id.isupper():
            return [one for value, place in assigned(given.id, tree) for one in said(value, tree, place)] or [
                given
            ]
    return [given]


def assigned(name: str, tree: ast.AST) -> Iterator[tuple[ast.expr, int | None]]:
    """What is assigned to a variable, and its place in the tuple where several are assigned together."""
    for node in ast.walk(tree):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            names = [ast.unparse(one) for one in target.elts] if isinstance(target, ast.Tuple) else []
            if name in names:
                yield node.value, names.index(name)  # type: ignore[attr-defined]
            elif isinstance(target, ast.Name) and target.id == name:
                yield node.value, None  # type: ignore[attr-defined]


@each_rule
def test_what_is_filled_are_sentences_of_the_rule_never_texts(rule: Rule) -> None:
    """Else a name of the profile with braces in it would be taken for a placeholder."""
    tree = ast.parse(text_of(rule))
    for call in calls_of_say(rule):
        sentences = [ast.unparse(one) for given in call.args for one in said(given, tree)]

        assert [text for text in sentences if not text.isupper() and text != "''"] == [], call.lineno


@each_rule
def test_no_sentence_is_built_from_halves(rule: Rule) -> None:
    """Texts with values in them are what ``say`` fills, but for labels of evidence and places."""
    tree = ast.parse(text_of(rule))
    built = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        and any(
            isinstance(part, ast.Constant) and re.search(r"\w[.:] |\w\.$", str(part.value))
            for part in node.values
        )
    ]

    assert built == [], f"{source(rule).name} builds sentences in lines {built}"


def test_a_sentence_that_nobody_says_is_named() -> None:
    """``make test`` listens to the tests of all rules, then asks for what nobody said."""
    rule = next(rule for rule in RULES if len(sentences(rule)) > len(unsaid("", [rule])) > 0)
    first, *others = unsaid("", [rule])
    said = sentences(rule)[first.removeprefix(f"{rule.id}: ")]

    assert unsaid(re.sub(r"\{.*?\}", "4.2 ms", said), [rule]) == others
    assert unsaid(said[:-1], [rule]) == [first, *others]


@each_rule
def test_every_case_of_advice_is_chosen_by_the_measurement(rule: Rule) -> None:
    text = text_of(rule)

    assert [name for name in rule.page.advice if name and f'"{name}"' not in text] == []


@each_rule
def test_every_condition_of_an_action_is_found_by_the_measurement(rule: Rule) -> None:
    texts = [
        text
        for advice in rule.page.advice.values()
        for part in advice.parts
        for text in (*part.actions, *(snippet.code for snippet in part.snippets))
    ]
    given = [match[0] for text in texts if (match := re.match(r"(\[[^\[\]]+\] )+", text))]
    conditions = set(re.findall(r"\[(?:unless )?(.+?)\] ", "".join(given))) - CONDITIONS

    assert [name for name in conditions if f'"{name}"' not in text_of(rule)] == []


@each_rule
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_advice_for_each_framework_says_what_to_do(rule: Rule, framework: str) -> None:
    """A case may be one that only programs of some frameworks can be in."""
    for name in rule.page.advice:
        fix = rule.page.advice_of(name).fix(Program(framework, False, False), {})  # type: ignore[arg-type]

        assert fix.actions or name, f"{rule.id} tells programs of {framework} nothing"
        assert fix.summary.endswith("."), f"{rule.id}: {name}"
        assert all(re.fullmatch(r"\S.*\.", action, re.DOTALL) for action in fix.actions), fix.actions


@each_rule
def test_snippets_can_be_run(rule: Rule) -> None:
    for advice in rule.page.advice.values():
        for snippet in (snippet for part in advice.parts for snippet in part.snippets):
            if snippet.framework == "shell":
                code = re.sub(r"^(\[[^\[\]]+\] )+", "", snippet.code)
                checked = subprocess.run(["bash", "-n"], input=code, text=True, check=False)
                assert checked.returncode == 0, snippet.code
            elif snippet.framework not in ("PowerShell", "C++"):
                ast.parse(re.sub(r"^(\[[^\[\]]+\] )+", "", snippet.code))


@each_rule
def test_pages_use_no_markup_but_their_form(rule: Rule) -> None:
    """The tab and a terminal show the words as they are: code is marked, nothing else."""
    page = rule.page
    before, _, rest = page.text.partition(EXAMPLE_BEGIN)
    prose = re.sub(
        r"```.*?```|`[^`]*`|\]\(\S+\)", "", before + rest.partition(EXAMPLE_END)[2], flags=re.DOTALL
    )

    assert re.findall(r"\*\*.*|<.*|\\.*|(?<!\w)_\w.*", prose) == []
    assert all(text.endswith(".") for text in (*page.why, *page.measured, *page.limits))


PAGE = """\
# Title

Do it.

## Why it matters

Why.

## How it is measured

One line
and its end.

## What to do

Summary.

- [For all](https://example.org/all)

### Keras

1. Keras' own, for {op}.

```python
model.fit(x)  # {op} {other}
```

### JAX

JAX' summary.

1. [a loop] Unroll it.
2. Use `jax.jit`.

- [For JAX](https://example.org/jax)

### Any

1. Any.

## What to do: a case

- Title: Other title
- Action: Do the other

### Any

1. Other.

## What to do first: before

### Any

1. First.

## Limits

- One,
  on two lines.

## Guide

[Guide › Section](https://example.org)
"""


def program(name: str) -> Program:
    return Program(name, False, False)  # type: ignore[arg-type]


def page() -> Page:
    return parse(PAGE)


def test_a_page_is_read() -> None:
    read = page()

    assert (read.title, read.action, read.why) == ("Title", "Do it", ("Why.",))
    assert (read.measured, read.limits) == (("One line and its end.",), ("One, on two lines.",))
    assert (read.guide.section, read.guide.url) == ("Guide › Section", "https://example.org")
    assert set(read.advice) == {"", "a case", "before"}
    assert (read.advice["a case"].title, read.advice["a case"].action) == ("Other title", "Do the other")


def test_advice_is_for_one_framework_and_for_any() -> None:
    usual = page().advice_of("")
    keras, jax = usual.fix(program("Keras"), {"op": "{other}"}), usual.fix(program("JAX"), {})

    assert keras.actions == ("Keras' own, for {other}.", "Any.")
    assert keras.snippets[0].code == "model.fit(x)  # {other} {other}"
    assert (jax.summary, jax.actions) == ("JAX' summary.", ("Use jax.jit.", "Any."))
    assert [link.title for link in jax.links] == ["For all", "For JAX"]
    assert [link.title for link in keras.links] == ["For all"]


def test_where_the_framework_is_unknown_general_words_are_used() -> None:
    fix = page().advice_of("").fix(program(""), {"op": "MatMul"})

    assert (fix.summary, fix.actions) == ("Summary.", ("Any.",))


def test_a_guide_is_for_all_or_for_one_audience() -> None:
    link = "[Guide › Section](https://example.org)"
    other = "[Other › Section](https://example.net)"
    of_two = parse(PAGE.replace(link, f"### TensorFlow\n\n{link}\n\n### PyTorch\n\n{other}"))

    assert all(page().guide_for(program(name)) == page().guide for name in (*FRAMEWORKS, ""))
    told = [of_two.guide_for(program(name)) for name in ("Keras", "PyTorch", "JAX", "")]
    assert [guide and guide.section for guide in told] == ["Guide › Section", "Other › Section", None, None]


@pytest.mark.parametrize(
    ("domain", "only"), [("www.tensorflow.org", {"TensorFlow", "tf.data"}), ("docs.pytorch.org", {"PyTorch"})]
)
def test_guides_of_a_framework_are_for_its_programs(domain: str, only: set[str]) -> None:
    told = [
        (rule.id, who) for rule in RULES for who, to in rule.page.guides.items() if f"//{domain}/" in to.url
    ]

    assert told
    assert [(id_, who) for id_, who in told if who not in only] == []


def test_an_action_may_depend_on_what_was_found() -> None:
    usual = page().advice_of("")

    assert usual.fix(program("JAX"), {"a loop": True}).actions == ("Unroll it.", "Use jax.jit.", "Any.")
    assert usual.fix(program("JAX"), {"a loop": False}).actions == ("Use jax.jit.", "Any.")


def test_all_conditions_of_an_action_and_of_code_must_hold() -> None:
    text = PAGE.replace("1. Keras' own", "1. [compiled] [unless a loop] Keras' own").replace(
        "```python\n", "```python [unless compiled]\n"
    )
    usual = parse(text).advice_of("")
    compiled = usual.fix(Program("Keras", compiled=True), {"op": ""})

    assert (len(compiled.actions), compiled.snippets) == (2, ())
    assert usual.fix(Program("Keras", compiled=True), {"op": "", "a loop": True}).actions == ("Any.",)
    plain = usual.fix(Program("Keras"), {"op": ""})
    assert (plain.actions, plain.snippets[0].code[:9]) == (("Any.",), "model.fit")


def test_a_case_replaces_the_usual_advice_or_comes_before_it() -> None:
    assert page().advice_of("a case").fix(program("Keras"), {}).actions == ("Other.",)
    assert page().advice_of("before").fix(program("JAX"), {}).actions == ("First.", "Use jax.jit.", "Any.")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("# Title", "Text", "text before the title"),
        ("## Limits", "## Limit", "no section 'Limits'"),
        ("### JAX", "### Jax", "page:28: “Jax” is none of"),
        ("```\n\n### JAX", "\n\n### JAX", "the code has no end"),
        ("[Guide › Section](https://example.org)", "Guide", "the guide is one link"),
        ("- Title: Other", "- Titel: Other", "neither a link nor a title"),
        ("## What to do first: before", "## What to do then: before", "What to do then: before"),
        ("## Limits", "## More\n\nText.\n\n## Limits", "More"),
    ],
)
def test_a_page_that_breaks_the_form_says_where(old: str, new: str, says: str) -> None:
    with pytest.raises(PageError, match=re.escape(says)):
        parse(PAGE.replace(old, new, 1))


def test_every_audience_is_one_of_the_frameworks_or_of_all() -> None:
    for name, applies in AUDIENCES.items():
        programs = [
            Program(f, tf_data=True, server=server) for f in (*FRAMEWORKS, "") for server in ("", "vLLM")
        ]

        assert any(map(applies, programs)), name
