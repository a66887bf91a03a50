"""The report: its model, assembly and rendering. What users read of one run is worded here or by a rule.

``assemble`` calls the ``panels``, whose parameters are artifacts, and puts their results into ``model``;
``serialize`` writes it as JSON with its schema; ``render`` prints it as text, Markdown and HTML. Rendering
decides nothing: sentences and blocks are finished in the model.
"""
