"""What `import harness` offers: the evaluation of models, and results to work with in Python and in notebooks."""
