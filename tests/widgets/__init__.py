"""The views without a browser; a package, as some modules here are named as browser tests."""
