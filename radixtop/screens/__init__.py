"""Screens: they arrange widgets and answer keys."""
