"""The files of models: folders of saved models, their fingerprints, the Hub's cache, and files of word vectors."""
