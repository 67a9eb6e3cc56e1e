"""Figures for Prometheus to scrape."""
