print("groundwave")
