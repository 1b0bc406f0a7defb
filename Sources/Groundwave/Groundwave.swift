// Groundwave
