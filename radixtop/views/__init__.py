"""Views: what fills the screen between header and footer, one per file."""
