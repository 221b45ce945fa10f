"""Forms made from the parameters of methods."""
