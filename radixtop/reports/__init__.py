"""Reports: one run in numbers, a recording in lines."""
