// ByteCoding
