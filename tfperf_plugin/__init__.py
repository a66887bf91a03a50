"""tfperf: finds what costs time in the profiles that TensorBoard shows."""
