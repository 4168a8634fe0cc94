"""Basic modules for all packages: errors, names, progress, processes and the terminal."""
