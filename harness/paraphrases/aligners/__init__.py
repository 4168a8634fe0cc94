"""Word alignments from raw parallel text, or from the two directions of an aligner."""
