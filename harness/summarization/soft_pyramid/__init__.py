"""The pyramid method without annotators of peers: a model says how near a summary comes to each SCU."""
