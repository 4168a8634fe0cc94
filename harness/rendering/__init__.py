"""Tables, reports, pages and pictures: numbers to text, nothing is computed here."""
