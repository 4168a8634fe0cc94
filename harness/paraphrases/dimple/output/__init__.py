"""The output of the `dimple` commands: reports and figures."""
