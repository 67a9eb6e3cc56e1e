"""Pictures of figures: points on logarithmic axes, as self-contained SVG."""
