"""Download of collections: lists of their files, and transfers that resume and check every file."""
