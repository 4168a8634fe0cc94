"""Our tests within other harnesses; nothing here is imported before it is used."""
