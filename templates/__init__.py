"""The styles: one template each. A template places text; everything it places is made in `reporting.view`."""
