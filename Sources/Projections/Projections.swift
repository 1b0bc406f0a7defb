// Projections
