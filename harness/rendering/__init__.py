"""Tables, reports, pages and pictures. These modules format numbers and compute nothing."""
