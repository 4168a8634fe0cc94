"""The files of models: folders of saved models, fingerprints, the cache of the Hub, and files of word vectors."""
