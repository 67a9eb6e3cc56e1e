"""What-if: one trace under many settings at once, side by side (`radixtop compare`)."""
