"""Our tests within other harnesses. Each module needs an optional package and is imported by its users only."""
