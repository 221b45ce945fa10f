"""`python -m trackyard` is the command `trackyard`."""

from trackyard.cli import main

if __name__ == "__main__":
    main()
