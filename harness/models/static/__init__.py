"""The larger parts of models with static word vectors."""
