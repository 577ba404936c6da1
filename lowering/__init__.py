"""Steps between floors, from the graph down and out of the house."""
