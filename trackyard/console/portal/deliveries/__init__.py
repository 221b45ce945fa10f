"""What affiliates are sent about conversions: postbacks, and pixels in browsers."""
