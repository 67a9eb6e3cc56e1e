"""Requests one by one: which are rows and in which order, and the story of one. Runs on the polling thread."""
