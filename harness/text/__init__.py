"""Words, stems and tokenizers."""
