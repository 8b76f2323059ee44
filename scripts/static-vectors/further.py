"""Teaches the table that make.py made further on what people ask for and on what commands do, and writes the table of the package.

The model reads more texts: requests to an assistant (CLINC150), what commands do and examples of their use (tldr-pages), and again
definitions and descriptions. A ridge regression then moves the vectors of pieces as little as is needed to come near to what it says of
them. The space stays that of the table, in which the table of other languages lies, too.

README.md in this folder says where model and texts come from, and how to run this.
"""

import argparse
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import onnxruntime
from languages import open_table
from make import LONGEST, WordPiece, count_matrix, debian_texts, pack, ridge, shuffled, wordnet_texts

# Texts that are read together, and how many of each source there are at most. The model rounds by what is in a batch, so this decides the last digits.
TOGETHER = {"wordnet": 30_000, "debian": 15_000, "tldr": 20_000, "requests": 10_000}
MOST = {"wordnet": 45_000, "debian": 15_000}
BATCH = 64
# What keeps the vectors near to those of the table.
NEAR = 8.0


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--table", type=Path, required=True, help="what make.py wrote")
    arguments.add_argument("--model", type=Path, required=True, help="model.onnx: all-MiniLM-L6-v2 in int8")
    arguments.add_argument("--vocabulary", type=Path, required=True, help="vocab.txt of the model")
    arguments.add_argument("--wordnet", type=Path, required=True, help="folder with data.noun, data.verb, data.adj, data.adv")
    arguments.add_argument("--debian", type=Path, required=True, help="what `apt-cache dumpavail` prints")
    arguments.add_argument("--tldr", type=Path, required=True, help="folder `pages` of tldr-pages")
    arguments.add_argument("--requests", type=Path, required=True, help="data_full.json of CLINC150")
    arguments.add_argument("--work", type=Path, required=True, help="folder for what the model said; a second run reads it")
    arguments.add_argument("--out", type=Path, required=True, help="the table")
    options = arguments.parse_args()

    pieces, table = open_table(options.table)
    wordpiece = WordPiece(options.vocabulary.read_text("utf8").split("\n")[:-1])
    model = SentenceModel(options.model, wordpiece)
    options.work.mkdir(parents=True, exist_ok=True)
    sources = {
        "wordnet": wordnet_texts(options.wordnet),
        "debian": debian_texts(options.debian),
        "tldr": tldr_texts(options.tldr),
        "requests": request_texts(options.requests),
    }
    read, sentences = [], []
    for name, texts in sources.items():
        pieces_of = [wordpiece.read(text)[: LONGEST - 2] for text in texts[: MOST.get(name)]]
        read += pieces_of
        sentences += remembered(options.work, name, pieces_of, model)
    kept = np.array([wordpiece.ids[piece] for piece in pieces])
    counts = count_matrix(read, kept, len(wordpiece.ids))[:, kept]
    packed = pack(pieces, further(counts, np.concatenate(sentences).astype(np.float32), table))
    options.out.write_bytes(packed)
    print(f"{options.out}: {len(pieces)} pieces, {len(packed)} bytes, sha256 {hashlib.sha256(packed).hexdigest()}")


def further(counts, sentences, table):
    """The table, moved as little as is needed to come near to what the model says of the texts."""
    centred = sentences - sentences.mean(0)
    said = counts @ table
    # The directions of the model that are those of the table: an orthogonal Procrustes problem.
    left, _, right = np.linalg.svd(centred.T @ said, full_matrices=False)
    wanted = centred @ (left @ right).astype(np.float32)
    wanted *= (said * wanted).sum() / (wanted * wanted).sum()
    return ridge(counts, wanted, table.astype(np.float32), ridge=NEAR)


def tldr_texts(folder):
    """What commands are for, with their names, and the examples without what is typed; in an order that the seed decides."""
    texts = []
    for path in sorted(folder.rglob("*.md")):
        page = path.read_text("utf8")
        name = re.search(r"^# (.*)$", page, re.M)
        about = ("More information", "See also", "This command is an alias", "View documentation", "Note")
        purpose = [line for line in re.findall(r"^> (.*)$", page, re.M) if not line.startswith(about)]
        if purpose:
            texts.append(f"{name[1] if name else ''}: {' '.join(purpose)}")
        texts += [re.sub(r"[`\[\]]", "", line).rstrip(":") for line in re.findall(r"^- (.*)$", page, re.M)]
    return shuffled(texts)


def request_texts(path):
    """What people ask an assistant for, each once, in an order that the seed decides."""
    return shuffled(request for part in json.loads(path.read_text("utf8")).values() for request, _ in part)


class SentenceModel:
    """all-MiniLM-L6-v2 in numbers of eight bits; a text is the mean of its pieces, of length 1. Faster than that of make.py."""

    def __init__(self, path, wordpiece):
        self.session = onnxruntime.InferenceSession(str(path))
        self.first, self.last = wordpiece.ids["[CLS]"], wordpiece.ids["[SEP]"]

    def encode(self, texts):
        """Vectors of texts that are given as numbers of pieces; those of like length together."""
        found = []
        order = np.argsort([len(text) for text in texts], kind="stable")
        for start in range(0, len(order), BATCH):
            batch = [[self.first, *texts[at], self.last] for at in order[start : start + BATCH]]
            pieces = np.zeros((len(batch), max(map(len, batch))), np.int64)
            mask = np.zeros_like(pieces)
            for nth, text in enumerate(batch):
                pieces[nth, : len(text)] = text
                mask[nth, : len(text)] = 1
            given = {"input_ids": pieces, "attention_mask": mask, "token_type_ids": np.zeros_like(pieces)}
            states = self.session.run(None, given)[0]
            means = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            found.append(means / np.linalg.norm(means, axis=1, keepdims=True))
        return np.concatenate(found)[np.argsort(order)]


def remembered(folder, name, texts, model):
    """What the model says of texts, read from files where they are there."""
    parts = []
    for start in range(0, len(texts), TOGETHER[name]):
        path = folder / f"{name}-{start}.npy"
        if not path.exists():
            np.save(path, model.encode(texts[start : start + TOGETHER[name]]).astype(np.float16))
        parts.append(np.load(path))
    return parts


if __name__ == "__main__":
    main()
