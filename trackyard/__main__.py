"""`python -m trackyard` is the command `trackyard`."""

from trackyard.commands.main import main

if __name__ == "__main__":
    main()
