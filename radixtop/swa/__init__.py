"""Where windows are missing in the tree, counted on the polling thread."""
