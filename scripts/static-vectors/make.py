"""Makes the first table of static vectors: one vector for each piece of a word. further.py makes the one that tools are found by of it.

A sentence model (all-MiniLM-L6-v2, Apache-2.0) reads the definitions and examples of WordNet 3.1, and what Debian's packages are for in
one line each. A ridge regression then learns a vector for each piece of its vocabulary, so that the pieces of a text, added up and
divided by the square root of their number, come near to what the model says of the text. The proxy needs no model then: it adds up rows of this table.

README.md in this folder says where model and texts come from, and how to run this.
"""

import argparse
import hashlib
import json
import re
import struct
import sys
import unicodedata
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import erf

DIMENSIONS = 128
WORDNET_TEXTS = 60_000
DEBIAN_TEXTS = 40_000
SEED = 7
# Pieces of a text that the model reads: longer ones are rare among definitions.
LONGEST = 64
# What keeps the vector of a rare piece near to where it starts from.
RIDGE = 1.0
STEPS = 25
BATCH = 64
# Texts whose vectors are saved together, so that a run that was ended goes on where it was.
CHUNK = 2_000


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--model", type=Path, required=True, help="folder with model.safetensors, config.json, vocab.txt")
    arguments.add_argument("--wordnet", type=Path, required=True, help="folder with data.noun, data.verb, data.adj, data.adv")
    arguments.add_argument("--debian", type=Path, required=True, help="what `apt-cache dumpavail` prints")
    arguments.add_argument("--work", type=Path, required=True, help="folder for what the model said; a second run reads it")
    arguments.add_argument("--out", type=Path, required=True, help="the table")
    options = arguments.parse_args()

    pieces = (options.model / "vocab.txt").read_text("utf8").split("\n")[:-1]
    wordpiece = WordPiece(pieces)
    model = SentenceModel(options.model)
    options.work.mkdir(parents=True, exist_ok=True)

    read, sentences = [], []
    for name, texts in (
        ("wordnet", wordnet_texts(options.wordnet)[:WORDNET_TEXTS]),
        ("debian", debian_texts(options.debian)[:DEBIAN_TEXTS]),
    ):
        pieces_of = [wordpiece.read(text)[: LONGEST - 2] for text in texts]
        read += pieces_of
        sentences.append(remembered(options.work, name, pieces_of, model))
    sentences = np.concatenate(sentences)
    alone = remembered(options.work, "pieces", [[piece] for piece in range(len(pieces))], model)

    kept = np.array([at for at, piece in enumerate(pieces) if is_kept(piece)])
    vectors = learn(read, sentences, alone, kept)
    table = pack([pieces[at] for at in kept], vectors[kept])
    options.out.write_bytes(table)
    print(f"{options.out}: {len(kept)} pieces, {len(table)} bytes, sha256 {hashlib.sha256(table).hexdigest()}")


# Texts


def wordnet_texts(folder):
    """Definitions with the words that they are of, and examples, each once, in an order that the seed decides."""
    texts = []
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text("utf8").split("\n"):
            if line.startswith(" ") or "|" not in line:
                continue
            head, gloss = line.split("|", 1)
            fields = head.split()
            words = [fields[4 + 2 * nth].split("(")[0].replace("_", " ") for nth in range(int(fields[3], 16))]
            definition = re.split(r'; "', gloss.strip())[0]
            texts.append(f"{', '.join(words[:4])}: {definition}")
            texts += [example for example in re.findall(r'"([^"]+)"', gloss) if len(example) > 12]
    return shuffled(texts)


def debian_texts(path):
    """Names of packages and what they are for, one package of those that say the same, in an order that the seed decides."""
    names = {}
    name = ""
    for line in path.read_text("utf8").split("\n"):
        field, _, value = line.partition(": ")
        if field == "Package":
            name = value
        elif field == "Description":
            # What stands in brackets or after a dash tells apart the parts of one program.
            purpose = re.sub(r" (?:[(\[]|--? ).*$", "", value)
            names[purpose] = min(names.get(purpose, name), name)
    return shuffled(f"{re.sub('[-.+]+', ' ', name)}: {purpose}" for purpose, name in names.items())


def shuffled(texts):
    texts = sorted(set(texts))
    return [texts[at] for at in np.random.default_rng(SEED).permutation(len(texts))]


class WordPiece:
    """Reads a text as pieces of words, the longest first, as BERT does it for text in lower case; the proxy does the same."""

    def __init__(self, pieces):
        self.ids = {piece: at for at, piece in enumerate(pieces)}
        self.known = {}

    def read(self, text):
        plain = unicodedata.normalize("NFD", text.lower())
        plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Mn")
        return [piece for word in re.findall(r"\w+|[^\w\s]", plain.replace("_", " _ ")) for piece in self.pieces(word)]

    def pieces(self, word):
        if word not in self.known:
            self.known[word] = self.split(word)
        return self.known[word]

    def split(self, word):
        found, start = [], 0
        while start < len(word):
            end = len(word)
            while end > start and ("##" if start else "") + word[start:end] not in self.ids:
                end -= 1
            if end == start:
                return []
            found.append(self.ids[("##" if start else "") + word[start:end]])
            start = end
        return found


def is_kept(piece):
    """Pieces of Latin letters, digits and signs; not the marks of the model itself, as [CLS]."""
    return re.fullmatch(r"(##)?[\x21-\x7e]+", piece) is not None and re.fullmatch(r"\[.+\]", piece) is None


# The model


class SentenceModel:
    """BERT with few layers, in float32; a text is the mean of its pieces, of length 1."""

    def __init__(self, folder):
        self.weights = load_safetensors(folder / "model.safetensors")
        settings = json.loads((folder / "config.json").read_text())
        self.layers = settings["num_hidden_layers"]
        self.heads = settings["num_attention_heads"]
        self.least = settings["layer_norm_eps"]
        vocabulary = (folder / "vocab.txt").read_text("utf8").split("\n")
        self.first, self.last = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")

    def encode(self, texts):
        """Vectors of texts that are given as numbers of pieces."""
        vectors = np.zeros((len(texts), self.weights["embeddings.word_embeddings.weight"].shape[1]), np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        # Texts of one length at a time: nothing has to be filled up and masked.
        while order:
            length = len(texts[order[0]])
            same = [at for at in order[:BATCH] if len(texts[at]) == length]
            order = order[len(same) :]
            vectors[same] = self.run(np.array([[self.first, *texts[at], self.last] for at in same]))
        return vectors

    def run(self, pieces):
        weights = self.weights
        count, length = pieces.shape
        state = (
            weights["embeddings.word_embeddings.weight"][pieces]
            + weights["embeddings.position_embeddings.weight"][:length]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        state = self.normed(state, "embeddings.LayerNorm")
        for nth in range(self.layers):
            layer = f"encoder.layer.{nth}"
            state = self.normed(state + self.attention(state, layer), f"{layer}.attention.output.LayerNorm")
            inner = self.linear(state, f"{layer}.intermediate.dense")
            inner = inner * 0.5 * (1 + erf(inner / np.float32(np.sqrt(2))))
            state = self.normed(state + self.linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        vectors = state.mean(1)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def attention(self, state, layer):
        count, length, width = state.shape

        def heads(name):
            made = self.linear(state, f"{layer}.attention.self.{name}")
            return made.reshape(count, length, self.heads, width // self.heads).transpose(0, 2, 1, 3)

        scores = heads("query") @ heads("key").transpose(0, 1, 3, 2) / np.float32(np.sqrt(width / self.heads))
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ heads("value")
        return self.linear(mixed.transpose(0, 2, 1, 3).reshape(count, length, width), f"{layer}.attention.output.dense")

    def linear(self, state, name):
        flat = state.reshape(-1, state.shape[-1]) @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]
        return flat.reshape(*state.shape[:-1], -1)

    def normed(self, state, name):
        centred = state - state.mean(-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + self.least)
        return centred / spread * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


def load_safetensors(path):
    """Format: 8 bytes of length, JSON that says where each array lies, the arrays. Only float32 is used."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    arrays = {}
    for name, about in json.loads(data[8 : 8 + length]).items():
        if about.get("dtype") == "F32":
            start, end = (8 + length + offset for offset in about["data_offsets"])
            arrays[name.removeprefix("bert.")] = np.frombuffer(data[start:end], np.float32).reshape(about["shape"])
    return arrays


def remembered(folder, name, texts, model):
    """What the model says of texts, read from files where they are there."""
    parts = []
    for start in range(0, len(texts), CHUNK):
        path = folder / f"{name}-{start}.npy"
        some = texts[start : start + CHUNK]
        if not path.exists() or len(np.load(path, mmap_mode="r")) < len(some):
            np.save(path, model.encode(some))
            print(f"{name}: {start + len(some)} of {len(texts)}", file=sys.stderr, flush=True)
        parts.append(np.load(path)[: len(some)])
    return np.concatenate(parts)


# Learning


def learn(read, sentences, alone, kept):
    """A vector for each piece; zero for those that are not kept."""
    centred = sentences - sentences.mean(0)
    # The directions in which texts differ most.
    directions = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :DIMENSIONS].astype(np.float32)
    wanted = centred @ directions
    counts = count_matrix(read, kept, len(alone))

    # To start from: what the model says of each piece alone, the frequent ones less (BERT lists frequent ones first).
    start = np.zeros((len(alone), DIMENSIONS), np.float32)
    rank = np.arange(1, len(kept) + 1)
    share = 1 / rank / (1 / rank).sum()
    rarity = (1e-4 / (1e-4 + share)).astype(np.float32)[:, None]
    start[kept] = ((alone[kept] - alone[kept].mean(0)) * rarity) @ directions
    predicted = counts @ start
    start *= (predicted * wanted).sum() / (predicted * predicted).sum()
    return ridge(counts, wanted, start)


def count_matrix(read, kept, width):
    """Pieces of each text, divided by the square root of how many there are."""
    is_there = np.zeros(width, bool)
    is_there[kept] = True
    rows = [[piece for piece in text if is_there[piece]] for text in read]
    lengths = np.array([len(row) for row in rows])
    values = np.repeat(1 / np.sqrt(np.maximum(lengths, 1)), lengths).astype(np.float32)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    matrix = csr_matrix((values, np.concatenate(rows).astype(np.int32), ends), shape=(len(rows), width))
    matrix.sum_duplicates()
    return matrix


def ridge(counts, wanted, start, steps=STEPS, ridge=RIDGE):
    """Least |counts x - wanted|² + ridge |x - start|², by conjugate gradients, a column at a time in parallel."""
    across = counts.T.tocsr()
    found = start.copy()
    rest = across @ (wanted - counts @ found)
    direction = rest.copy()
    error = (rest * rest).sum(0)
    for _ in range(steps):
        product = across @ (counts @ direction) + ridge * direction
        step = error / np.maximum((direction * product).sum(0), 1e-20)
        found += step * direction
        rest -= step * product
        before, error = error, (rest * rest).sum(0)
        direction = rest + error / np.maximum(before, 1e-20) * direction
    return found


# The file


def pack(pieces, vectors):
    """u32: pieces, dimensions, bytes of the words; the words, a line each; a float32 scale for each piece; two numbers of four
    bits in a byte, the first in the low half, 0 to 14 for -7 to 7."""
    # The step of each row that loses least of it.
    best, least = np.zeros(len(vectors), np.float32), np.full(len(vectors), np.inf, np.float32)
    largest = np.maximum(np.abs(vectors).max(1), 1e-9)
    for part in np.linspace(0.5, 1, 26, dtype=np.float32):
        step = largest * part / 7
        lost = ((levels(vectors, step) * step[:, None] - vectors) ** 2).sum(1)
        best, least = np.where(lost < least, step, best), np.minimum(lost, least)
    rows = (levels(vectors, best) + 7).astype(np.uint8)
    words = "\n".join(pieces).encode()
    words += b"\n" * (-len(words) % 4)
    head = struct.pack("<III", len(pieces), vectors.shape[1], len(words))
    return head + words + best.astype("<f4").tobytes() + (rows[:, ::2] | rows[:, 1::2] << 4).tobytes()


def levels(vectors, step):
    return np.clip(np.round(vectors / step[:, None]), -7, 7)


if __name__ == "__main__":
    main()
