"""Facts about IR that passes ask for: intervals, dominance, effects, cost."""
