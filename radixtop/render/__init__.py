"""Pure functions from numbers to text with roles; nothing here knows a widget or a terminal."""
