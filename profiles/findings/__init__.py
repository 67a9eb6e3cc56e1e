"""Diagnoses, one a file: what each looks for, and what to do about it."""
