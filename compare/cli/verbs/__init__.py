"""A module for each verb, of the verb's name, with ``run(options)`` that returns the exit code."""
