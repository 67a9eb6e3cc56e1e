"""The story of one request, for `radixtop explain`: found in a recording or in what is watched, and told."""
