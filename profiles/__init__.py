"""Workloads, recordings read back, and the exports made of them. Nothing here draws or imports torch."""
