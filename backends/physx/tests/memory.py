"""What reads keep, in the tests."""

import tracemalloc


def kept_by(read, warm):
    """Return how many bytes stay after 100 reads that did not before; ``read`` takes how often."""
    read(warm)
    tracemalloc.start()
    read(1)
    before = tracemalloc.take_snapshot()
    read(100)
    after = tracemalloc.take_snapshot()
    tracemalloc.stop()
    return sum(difference.size_diff for difference in after.compare_to(before, "filename"))
