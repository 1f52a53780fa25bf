"""Nothing: what start and end cost."""
