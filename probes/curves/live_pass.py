"""One pass over requests while they come: what they asked for, as far as it is known.

admitted -> waits in line -> its prompt is known, and that of all before it -> served: hits are counted
                                                          ended -> its answer is held, too, as far as it was stored
"""

from __future__ import annotations

from probes.curves.contents import Contents
from probes.curves.grid_pass import GridPass
from probes.curves.line import Admitted, Line
from probes.curves.prompt import BlockPrompt
from probes.curves.residents import residents
from probes.curves.scale import block_tokens, capacities
from probes.mirror import Mirror


class LivePass:
    """Serves requests to caches of all sizes, once it is told the size that there is.

    `found_tokens` are what the cache itself knew of those that were served, `measured_tokens` what it hit of them.
    """

    def __init__(self, mirror: Mirror) -> None:
        self.contents = Contents(mirror)
        self.grid: GridPass | None = None
        self.block_tokens = 1
        self.found_tokens = self.measured_tokens = 0
        self._mirror = mirror
        self._line = Line()
        self.running = self._line.running
        self._is_blind = self._is_cold = False

    def sized(self, page_tokens: int, now_tokens: int) -> None:
        """Take note of how large the cache is; sizes to count for are chosen when that is first told."""
        if self.grid is None:
            self.block_tokens = block_tokens(page_tokens, now_tokens)
            self.grid = GridPass(capacities(max(1, now_tokens // self.block_tokens)))

    def join(self, request: int, admitted: Admitted) -> None:
        """Let a request wait for its turn; while the tree is not known, it is not known what one asks for."""
        if not self._is_blind:
            self._line.join(request, admitted)

    def served(self) -> list[Admitted]:
        """Serve those whose turn it is, and return them."""
        grid = self.grid
        if grid is None:
            return []
        served = [*self._line.turns()]
        for admitted in served:
            if self._is_cold:
                self._warm_up(grid)
            grid.serve(self._prompt(grid, admitted, admitted.prompt_tokens), is_counted=True)
            found, hit = admitted.own_tokens
            self.found_tokens += found
            self.measured_tokens += hit
            if admitted.has_ended:
                self._hold_answer(grid, admitted)
        return served

    def ended(self, request: int) -> None:
        """Take note that a request ended: no more will be known of it."""
        admitted = self.running.pop(request, None)
        if admitted is not None:
            admitted.is_decided = admitted.has_ended = True
            if admitted.is_served and self.grid is not None:
                self._hold_answer(self.grid, admitted)

    def lost(self) -> None:
        """Take note that records are missing: nothing is known until the tree is."""
        self._line.clear()
        self._is_blind = True
        self.forget()

    def whole(self) -> None:
        """Take note that the tree is known: where that is news, it is what all sizes begin with."""
        self._is_cold = self._is_cold or self._is_blind
        self._is_blind = False

    def forget(self) -> None:
        """Hold nothing any more."""
        if self.grid is not None:
            self.grid.forget()

    def _hold_answer(self, grid: GridPass, admitted: Admitted) -> None:
        """Hold what was stored behind a prompt, with the prompt."""
        if admitted.known_tokens // self.block_tokens > admitted.prompt_tokens // self.block_tokens:
            grid.serve(self._prompt(grid, admitted, admitted.known_tokens), is_counted=False)

    def _prompt(self, grid: GridPass, admitted: Admitted, tokens: int) -> BlockPrompt:
        path = self._path(grid, admitted.name, min(tokens, admitted.known_tokens))
        return BlockPrompt(path, self.block_tokens, admitted.prompt_tokens)

    def _path(self, grid: GridPass, name: int, tokens: int) -> bytes:
        """Return the blocks of a path; those that no cache of the largest capacity holds are left out."""
        most = grid.capacities[-1] * self.block_tokens
        return self.contents.path(name, min(tokens, most), self.block_tokens)

    def _warm_up(self, grid: GridPass) -> None:
        """Hold what the cache holds, in the order in which it was touched."""
        self._is_cold = False
        for slot, end in residents(self._mirror.columns):
            path = self._path(grid, self.contents.name_of(slot), end)
            grid.serve(BlockPrompt(path, self.block_tokens, end), is_counted=False)
