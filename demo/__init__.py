"""A realistic marketplace to look at and to measure: made-up companies and people."""
