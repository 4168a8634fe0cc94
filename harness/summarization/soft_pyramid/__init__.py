"""The pyramid method without annotated peers: a model scores how closely a summary expresses each SCU."""
