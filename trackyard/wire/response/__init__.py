"""From values to answers: JSON, errors, CSV and Parquet."""
