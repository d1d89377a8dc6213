"""Rehearsals too long for every test run: a class of students, and a visit to Binder."""
