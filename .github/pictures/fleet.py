"""The view of several servers as a picture: four publish parts of a recorded stream, a fifth is not there."""

from __future__ import annotations

import asyncio

from probes.engines.access import Access
from radixtop.app import RadixtopApp
from radixtop.engine_target import network_targets_of
from radixtop.network_session import NetworkSession
from radixtop.settings.setting import Settings
from tests.support.fake_server import unused_port
from tests.support.served_fleet import served_fleet
from tests.support.svg_screen import svg_of

MESSAGES = ((64, 60), (52, 58), (60, 62), (14, 56))
"""How many messages of the stream each rank of each server has published."""

METRICS_S = 8.0
"""How long the servers are watched before their metrics go on, and then again."""


async def fleet_svg(size: tuple[int, int]) -> str:
    """Return the view as SVG. Metrics are two scrapes of one server, so that all ranks tell the same."""
    with served_fleet(MESSAGES) as fleet:
        targets = network_targets_of([*fleet.targets, f"sglang://127.0.0.1:{unused_port()}"])
        session = NetworkSession(targets, Access())
        try:
            settings = Settings(view="fleet", chooses_view=True)
            app = RadixtopApp(session, title="5 servers", settings=settings)
            async with app.run_test(size=size) as pilot:
                await asyncio.sleep(METRICS_S)
                fleet.scraped_again()
                await asyncio.sleep(METRICS_S)
                await pilot.pause()
                return svg_of(app)
        finally:
            session.close()
