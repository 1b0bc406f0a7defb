@_exported import Groundwave
