"""The pages of the manual; ``ringfen help PAGE.md`` shows one. Nothing here is code."""
