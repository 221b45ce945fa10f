"""What happens because time passes."""
