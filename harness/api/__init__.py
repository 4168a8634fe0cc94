"""The functions and classes of `import harness`: evaluate models, and work with results in Python and in notebooks."""
