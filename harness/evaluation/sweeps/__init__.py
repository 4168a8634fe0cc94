"""Many models on the same tests: planned from a file, computed in several processes, continued where they stopped."""
