"""What each view says first, in words: a function `answer`, and for the overview a `headline`; one file per view."""
