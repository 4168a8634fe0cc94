"""Models behind an HTTP interface: addresses, keys, requests at a limited rate, and checks of answers."""
