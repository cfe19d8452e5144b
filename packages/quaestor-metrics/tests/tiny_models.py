"""Very small models with random weights, made here: they run the real road and measure nothing."""

from pathlib import Path
from typing import Any

WORDS = (
    "question claim paragraph document Is this a fluent paragraph consistent with the who built old bridge lock when "
    "was it Yes No Ann Lind 1790 in and of iron gates stands by where r c q"
)
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>", "<mask>")
SIZE = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}


def _tokenizer(pair: bool) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = dict.fromkeys((*SPECIAL, *WORDS.split(), "?", ".", ":", "/", "<", ">", "\\", "n"))
    vocabulary = {word: place for place, word in enumerate(words)}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    if pair:
        made.post_processor = processors.TemplateProcessing(
            single="<s> $A </s>",
            pair="<s> $A </s> $B </s>",
            special_tokens=[("<s>", vocabulary["<s>"]), ("</s>", vocabulary["</s>"])],
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="<pad>",
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        cls_token="<s>",
        sep_token="</s>",
        mask_token="<mask>",
        model_max_length=64,
    )


def make(folder: Path, kind: str, *, seed: int = 3) -> Path:
    """Leave a model of a kind in a folder, as a downloaded one lies there."""
    import torch
    import transformers as library

    tokenizer = _tokenizer(pair=kind != "causal")
    n = len(tokenizer)
    torch.manual_seed(seed)
    ends = {"bos_token_id": 2, "eos_token_id": 3, "pad_token_id": 0}
    bert = library.BertConfig(
        vocab_size=n,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=0.6,
        **SIZE,
    )
    if kind == "seq2seq":
        layers = {"encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 32}
        heads = {"encoder_attention_heads": 2, "decoder_attention_heads": 2, "decoder_ffn_dim": 32}
        config = library.BartConfig(
            vocab_size=n,
            d_model=16,
            max_position_embeddings=64,
            init_std=0.6,
            decoder_start_token_id=3,
            forced_eos_token_id=None,
            **layers,
            **heads,
            **ends,
        )
        model = library.BartForConditionalGeneration(config)
    elif kind == "causal":
        config = library.GPT2Config(
            vocab_size=n,
            n_embd=16,
            n_layer=2,
            n_head=2,
            n_positions=64,
            initializer_range=0.6,
            **ends,
        )
        model = library.GPT2LMHeadModel(config)
    elif kind == "classifier":
        bert.num_labels = 3
        bert.id2label = {0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}
        bert.label2id = {name: at for at, name in bert.id2label.items()}
        model = library.BertForSequenceClassification(bert)
    else:
        model = library.BertForMaskedLM(bert)
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
