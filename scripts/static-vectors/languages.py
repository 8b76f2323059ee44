"""Makes the table of words of other languages, which is laid over the English one (make.py), in whose space its vectors lie.

Translations that free software comes with teach it: what each says in English has a vector in the English table, and a ridge regression
learns vectors of the pieces of the other language that add up to the same. No model is asked, and no text is in the table.

README.md in this folder says where the translations come from, and how to run this.
"""

import argparse
import gettext
import gzip
import hashlib
import json
import re
import struct
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
from make import WordPiece, count_matrix, pack, ridge, shuffled

LANGUAGES = ("de", "es", "fr", "it", "pt")
# Names that catalogues and Debian have for the form of a language that is read, and dictionaries for the language.
FORMS = {"pt": "pt_BR"}
IN_DICTIONARIES = {"de": "deu", "es": "spa", "fr": "fra", "it": "ita", "pt": "por"}
# Pieces of the table: whole words or their beginnings, and what goes on within a word.
BEGINNINGS = 21_000
CONTINUATIONS = 6_000
# Texts of one language, from each of the sources.
MOST = {"catalogues": 120_000, "debian": 60_000, "dictionaries": 120_000, "english": 120_000}
# Words of a text: longer ones say several things.
LONGEST = 40
# How much oftener a piece of the English table stands in other languages where it is learnt anew.
ANEW = 3
RIDGE_STEPS = 40
# Texts that nothing is learnt of, to see how many find their translation.
HELD = 2_000


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--english", type=Path, required=True, help="the English table")
    arguments.add_argument("--stop-words", type=Path, required=True, help="src/text/words/words.json")
    arguments.add_argument("--packages", type=Path, required=True, help="folder with the unpacked packages")
    arguments.add_argument("--debian", type=Path, required=True, help="folder with Translation-en, Translation-de, …")
    arguments.add_argument("--out", type=Path, required=True, help="the table")
    options = arguments.parse_args()

    stop_words = {word for line in json.loads(options.stop_words.read_text("utf8"))["stopWords"] for word in line.split()}
    english_pieces, english = open_table(options.english)
    pairs = {language: pairs_of(language, options) for language in LANGUAGES}
    for language, found in pairs.items():
        print(language, len(found), flush=True)
    texts = shuffled({english for found in pairs.values() for _, english in found})
    reader = EnglishReader(english_pieces, english, texts, stop_words)

    pieces = pieces_of(pairs, texts, english_pieces)
    print(len(pieces), "pieces", flush=True)
    table = learn(pairs, texts[: MOST["english"]], pieces, reader)
    packed = pack(pieces, table)
    options.out.write_bytes(packed)
    print(f"{options.out}: {len(pieces)} pieces, {len(packed)} bytes, sha256 {hashlib.sha256(packed).hexdigest()}")


# Translations


def pairs_of(language, options):
    """Texts of a language with what they say in English, each once, in an order that the seed decides."""
    form = FORMS.get(language, language)
    sources = {
        "catalogues": catalogue_pairs(options.packages, form),
        "debian": debian_pairs(options.debian, form),
        "dictionaries": dictionary_pairs(options.packages, language),
    }
    found = []
    for name, pairs in sources.items():
        cleaned = {(words_of(other), words_of(english)) for other, english in pairs}
        kept = [" ".join(a) + "\t" + " ".join(b) for a, b in cleaned if 0 < len(a) <= LONGEST and 0 < len(b) <= LONGEST]
        found += shuffled(kept)[: MOST[name]]
    return [tuple(line.split("\t")) for line in shuffled(found)]


def words_of(text):
    """As the proxy reads words: without accents, in lower case."""
    # What marks the letter for the keyboard, what is filled in, and markup.
    text = re.sub(r"<[^<>]*>|%\(?\w*\)?[-\d.$]*[a-zA-Z]|\{\w*\}|&[a-z]+;|[_&~](?=\w)|\$\w+|\([&_]?[A-Z]\)", "", text)
    plain = unicodedata.normalize("NFD", text.lower())
    return tuple(re.findall(r"[a-zß]+", "".join(letter for letter in plain if unicodedata.category(letter) != "Mn")))


def catalogue_pairs(folder, form):
    """Catalogues of messages that programs come with."""
    paths = [path for path in folder.rglob("*.mo") if path.parent.parent.name == form or re.search(rf"(^|[-_]){form}(_[A-Z]+)?\.mo$", path.name)]
    for path in sorted(paths):
        try:
            catalogue = gettext.GNUTranslations(path.open("rb"))._catalog
        except (OSError, ValueError, UnicodeError, IndexError):
            continue
        for key, other in catalogue.items():
            english = key[0] if isinstance(key, tuple) else key
            if english:
                yield other, english.split("\x04")[-1]


def debian_pairs(folder, form):
    """What packages of Debian are for, in one line and in paragraphs."""
    english, other = (descriptions(folder / f"Translation-{name}") for name in ("en", form))
    for digest, paragraphs in other.items():
        originals = english.get(digest, [])
        if len(originals) == len(paragraphs):
            yield from zip(paragraphs, originals)


def descriptions(path):
    found = {}
    for stanza in path.read_text("utf8").split("\n\n"):
        match = re.search(r"Description-md5: (\w+)\nDescription-\w+: (.*)", stanza, re.DOTALL)
        if match:
            found[match[1]] = re.sub(r"\n (?!\.\n)", " ", match[2].replace("\n", "\n\n", 1)).replace("\n .", "\n\n").split("\n\n")
    return found


def dictionary_pairs(folder, language):
    """Words of two dictionaries of FreeDict, and of German one of Frank Richter's."""
    code = IN_DICTIONARIES[language]
    for path in sorted(folder.rglob(f"freedict-{code}-eng.dict.dz")):
        yield from entries(path)
    for path in sorted(folder.rglob(f"freedict-eng-{code}.dict.dz")):
        yield from ((other, english) for english, other in entries(path))
    if language == "de":
        for path in sorted(folder.rglob("trans/de-en")):
            for line in path.read_text("utf8").split("\n"):
                if line.startswith("#") or "::" not in line:
                    continue
                sides = [re.sub(r"[{\[(][^}\])]*[}\])]", "", side).split("|") for side in line.split("::", 1)]
                if len(sides[0]) != len(sides[1]):
                    continue
                for german, english in zip(*sides):
                    for word in german.split(";"):
                        yield word, english.split(";")[0]


def entries(path):
    """Headwords with the first of what each means: the line of a headword has its sound between slashes."""
    head = None
    for line in gzip.open(path, "rt", encoding="utf8"):
        match = re.match(r"(\S[^/<]*?) /", line)
        if match:
            head = match[1]
        elif head and line.strip():
            yield head, re.sub(r"^\s*\d+\.|[\[(<{][^\])>}]*[\])>}]", "", line).split(",")[0]
            head = None


# Pieces


def pieces_of(pairs, texts, english_pieces):
    """The words that are frequent in one of the languages, and what often goes on within a word that is none of them."""
    in_english = shares(texts)
    known = set(english_pieces)
    best = Counter()
    for found in pairs.values():
        for word, share in shares(other for other, _ in found).items():
            if word not in known or share > ANEW * in_english.get(word, 0):
                best[word] = max(best[word], share)
    beginnings = ordered(best, BEGINNINGS)
    words = known | set(beginnings)
    rests = Counter()
    for found in pairs.values():
        for word, share in shares(other for other, _ in found).items():
            if word in words:
                continue
            end = len(word)
            while end > 3 and word[:end] not in words:
                end -= 1
            if len(word) - end > 1 and f"##{word[end:]}" not in known:
                rests[word[end:]] += share
    return beginnings + [f"##{rest}" for rest in ordered(rests, CONTINUATIONS)]


def shares(texts):
    counts = Counter(word for text in texts for word in text.split())
    total = sum(counts.values())
    return {word: count / total for word, count in counts.items()}


def ordered(counts, most):
    return [piece for piece, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]]


# Vectors


def open_table(path):
    """Pieces and vectors of a file that `pack` made."""
    data = path.read_bytes()
    count, dimensions, letters = struct.unpack("<III", data[:12])
    pieces = data[12 : 12 + letters].decode().split("\n")[:count]
    scales = np.frombuffer(data, "<f4", count, 12 + letters)
    rows = np.frombuffer(data, np.uint8, count * dimensions // 2, 12 + letters + 4 * count).reshape(count, -1)
    levels = np.stack([rows & 15, rows >> 4], 2).reshape(count, dimensions).astype(np.float32) - 7
    return pieces, levels * scales[:, None]


class EnglishReader:
    """Reads English as the proxy does: words that say nothing not at all, common ones less."""

    def __init__(self, pieces, vectors, texts, stop_words):
        self.pieces, self.vectors, self.stop_words = pieces, vectors, stop_words
        self.wordpiece = WordPiece(pieces)
        having = Counter(word for text in texts for word in set(text.split()))
        worth = lambda count: np.log(1 + (len(texts) - count + 0.5) / (count + 0.5))
        self.weights = {word: float(np.sqrt(worth(count) / worth(0))) for word, count in having.items()}
        self.known = {}

    def vectors_of(self, texts):
        """Sums of the weighted words of each, divided by the square root of their number."""
        found = np.zeros((len(texts), self.vectors.shape[1]), np.float32)
        for at, text in enumerate(texts):
            words = [word for word in text.split() if word not in self.stop_words]
            for word in words:
                found[at] += self.word(word)
            found[at] /= np.sqrt(max(1, len(words)))
        return found

    def word(self, word):
        if word not in self.known:
            pieces = self.wordpiece.pieces(word)
            self.known[word] = self.vectors[pieces].sum(0) * self.weights.get(word, 1)
        return self.known[word]


def learn(pairs, texts, pieces, reader):
    """A vector for each of the pieces. Those of the English table that are not among them stay as they are."""
    both = list(dict.fromkeys(reader.pieces + pieces))
    wordpiece = WordPiece(both)
    held, learnt = [], []
    for found in pairs.values():
        held.append(found[:HELD])
        learnt += found[HELD:]
    # English texts as translations of themselves: a word of two languages stays near to what it is in English.
    learnt += [(text, text) for text in texts]
    start = np.zeros((len(both), reader.vectors.shape[1]), np.float32)
    start[: len(reader.pieces)] = reader.vectors
    own = np.array([wordpiece.ids[piece] for piece in pieces])

    read = lambda found: [wordpiece_of(wordpiece, other, reader.stop_words) for other, _ in found]
    counts = count_matrix(read(learnt), np.arange(len(both)), len(both))
    wanted = unit(reader.vectors_of([english for _, english in learnt]))
    # As long as what English texts of the table are.
    wanted *= np.median(np.linalg.norm(reader.vectors_of(texts[:5000]), axis=1))
    is_own = np.zeros(len(both), bool)
    is_own[own] = True
    fixed = start.copy()
    fixed[is_own] = 0
    found = ridge(counts[:, own], wanted - counts @ fixed, np.zeros((len(own), start.shape[1]), np.float32), steps=RIDGE_STEPS)
    start[own] = found
    for language, some in zip(pairs, held):
        said = unit(count_matrix(read(some), np.arange(len(both)), len(both)) @ start)
        meant = unit(reader.vectors_of([english for _, english in some]))
        place = (said @ meant.T).argmax(1)
        right = np.mean([meant[at] @ meant[nth] > 0.999 for nth, at in enumerate(place)])
        print(f"{language}: of {len(some)} texts that were held back {right:.3f} find their translation", flush=True)
    return found


def wordpiece_of(wordpiece, text, stop_words):
    return [piece for word in text.split() if word not in stop_words for piece in wordpiece.pieces(word)]


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


if __name__ == "__main__":
    main()
