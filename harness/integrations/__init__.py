"""Our tests in other harnesses. Each module needs an optional package and is imported only by its users."""
