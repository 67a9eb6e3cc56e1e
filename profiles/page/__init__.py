"""The page of a flame graph: one HTML file with its data in it, that fetches nothing. Data, template, assembly."""
