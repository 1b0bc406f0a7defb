// Radio
