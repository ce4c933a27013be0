"""``python -m ovread``."""

from ovread.cli import main

if __name__ == "__main__":
    main()
