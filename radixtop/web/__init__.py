"""The dashboard in a browser: who may see it, the page, and the server of both."""
