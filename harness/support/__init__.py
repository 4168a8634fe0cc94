"""What every part needs: errors, names, progress, processes and the terminal."""
