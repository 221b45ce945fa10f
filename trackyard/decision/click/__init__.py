"""One click: the hit, the steps of its decision and the state they ask for."""
