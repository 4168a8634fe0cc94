"""What the `dimple` commands show."""
