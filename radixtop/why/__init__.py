"""Why a cache does not hit more: from a source to findings, what changes would give, and how that is told."""
