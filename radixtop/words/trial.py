"""What the change of a finding gives, how far measuring that is, and why it cannot be measured."""

from __future__ import annotations

from dataclasses import replace

from profiles.finding import Finding
from radixtop.render.lines import Span
from radixtop.render.units import clock, grouped, share
from radixtop.why.page import WhyPage
from radixtop.why.telling import gain_text
from radixtop.why.trial import Trial, Trials


def with_gains(page: WhyPage, trials: Trials) -> WhyPage:
    """Return a page whose findings have the gains that were measured; of another moment they say of which."""
    return replace(page, findings=tuple(_with_gain(page, finding, trials) for finding in page.findings))


def _with_gain(page: WhyPage, finding: Finding, trials: Trials) -> Finding:
    trial = trials.of(finding.name, finding.change)
    if trial is None or trial.gain is None:
        return finding
    gain = trial.gain
    if trial.at != page.until:
        gain = replace(gain, by=f"{gain.by}, as of {clock(max(0, trial.at - page.run_at))}")
    return replace(finding, gain=gain)


def gain_span(page: WhyPage, finding: Finding, trial: Trial | None) -> Span:
    """Return what is known of the gain of a finding's change, in words."""
    if trial is not None and trial.trouble:
        return f"not measured: {trial.trouble}", "warn"
    if trial is not None and not trial.is_over:
        return f"{_on_the_way(trial)}; esc ends it", "accent"
    if finding.gain is not None:
        return gain_text(finding.gain), "good" if finding.gain.helps else "warn"
    why_not = untried(page, finding)
    if why_not:
        return f"not measured: {why_not}", "dim"
    return "not measured yet: r replays what was recorded with this change", "dim"


def _on_the_way(trial: Trial) -> str:
    if not trial.of:
        return "reading what was recorded, to replay it"
    return f"replaying, {grouped(trial.served)} of {grouped(trial.of)} requests, {share(trial.served / trial.of)}"


def untried(page: WhyPage, finding: Finding) -> str:
    """Return why no replay can tell what a change gives; "" where one can."""
    change = finding.change
    if change is None:
        return "there is nothing to change"
    if not change.settings and not change.flag:
        return "only whoever sends the requests can change that"
    if finding.name == "page_size":
        return "a recording knows whole pages only"
    if not change.settings:
        return "a replay has no such setting to try"
    if page.question.from_at is not None:
        return "a replay serves the run from its start; w counts all of it"
    return ""
