"""Tests of the views, without a browser; a package, for its modules are named as the browser tests."""
