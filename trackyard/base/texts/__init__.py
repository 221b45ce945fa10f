"""The words of the program in the languages of its users (docs/spec/console.md#languages)."""
