"""The report: its model, assembly and rendering. What users read of one run is worded here or by a rule.

``assemble`` calls the ``panels``, whose parameters are artifacts, and puts their results into ``model``;
``tables`` describes columns, ``projection`` the step once findings are fixed, ``whatif`` that of chosen ones;
``timeline`` draws steps. ``serialize`` writes the report as JSON with its schema; ``render`` prints it as
text, Markdown and HTML. Rendering decides nothing: sentences and blocks are finished in the model.
"""
