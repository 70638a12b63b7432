"""From a comparison to text: the view model, the rules of the styles, the templates."""
