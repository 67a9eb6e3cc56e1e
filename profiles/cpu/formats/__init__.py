"""The formats of sampled code, one file each; the table is in `profiles.cpu.format`."""
