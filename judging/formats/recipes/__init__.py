"""Exports of other programs, each as the steps from an opened file to a frame."""
