"""A realistic marketplace to look at, and its main job from beat to mail; never in production."""
