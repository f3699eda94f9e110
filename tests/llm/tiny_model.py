"""A transformers model small enough to be made by a test: random weights and a tokenizer trained on the spot."""

from pathlib import Path

TEXTS = [
    "Read the text and say whether the option is a correct answer. Reply with R or F.",
    "The river flows through the green town. The old castle stands on the hill above it.",
    "Der Fluss fließt durch die grüne Stadt. Die alte Burg steht auf dem Berg, nicht im Tal.",
    "Antworte mit R oder F. R: richtig, F: falsch. 1. Question? A) one B) two C) three",
]
TEMPLATE = (
    "{% for message in messages %}<{{ message['role'] }}>{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


def make_tiny_model(
    folder: Path,
    *,
    width: int = 128,
    leans_to: str = "R F",
    has_template: bool = False,
    most_tokens: int = 1024,
    seed: int = 1,
) -> Path:
    """Saves it in the folder: a GPT-2 of two layers, some hundred tokens, the labels of the shipped prompts among them.

    Its last layer leans to the words `leans_to`, so that labels have a share of the probability that can be read.
    """
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    fast = _trained_tokenizer()
    if has_template:
        fast.chat_template = TEMPLATE
    torch.manual_seed(seed)
    size = GPT2Config(
        vocab_size=len(fast), n_positions=most_tokens, n_embd=width, n_layer=2, n_head=2,
        initializer_range=0.3, bos_token_id=fast.eos_token_id, eos_token_id=fast.eos_token_id,
    )  # fmt: skip
    model = GPT2LMHeadModel(size)
    wanted = [fast.convert_tokens_to_ids(word) for word in leans_to.split()]
    with torch.no_grad():
        model.transformer.ln_f.bias.copy_(2 * model.transformer.wte.weight[wanted].sum(0))
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def make_tiny_bart(folder: Path, *, most_tokens: int = 512, forced_bos: bool = False) -> Path:
    """A BART of one layer on each side. `forced_bos`: its replies begin with a token that it does not choose."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    fast = _trained_tokenizer()
    end = fast.eos_token_id
    torch.manual_seed(1)
    size = BartConfig(
        vocab_size=len(fast), d_model=64, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=most_tokens,
        init_std=0.3, bos_token_id=end, pad_token_id=end, eos_token_id=end, decoder_start_token_id=end,
        forced_eos_token_id=None,
    )  # fmt: skip
    model = BartForConditionalGeneration(size)
    model.generation_config.forced_bos_token_id = fast.convert_tokens_to_ids("a") if forced_bos else None
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def make_tiny_t5(folder: Path) -> Path:
    """A Flan-T5 of one layer on each side, with an output layer of its own."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    fast = _trained_tokenizer()
    end = fast.eos_token_id
    torch.manual_seed(1)
    size = T5Config(
        vocab_size=len(fast), d_model=64, d_kv=32, d_ff=64, num_layers=1, num_heads=2, initializer_factor=3.0,
        feed_forward_proj="gated-gelu", tie_word_embeddings=False, pad_token_id=end, eos_token_id=end,
        decoder_start_token_id=end,
    )  # fmt: skip
    T5ForConditionalGeneration(size).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


def _trained_tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<end>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([*TEXTS, " R F C I r f c i" * 50], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>")


def teach(folder: Path, messages: list[dict], reply: str, *, steps: int = 150) -> None:
    """Lets the model learn one reply to one prompt by heart."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    prompt = tokenizer("\n\n".join(message["content"] for message in messages))["input_ids"]
    answer = [*tokenizer(reply)["input_ids"], tokenizer.eos_token_id]
    ids = torch.tensor([prompt + answer])
    labels = torch.tensor([[-100] * len(prompt) + answer])
    steps_of = torch.optim.AdamW(model.parameters(), lr=5e-3)
    torch.manual_seed(1)
    model.eval()  # nothing is dropped: it is to learn by heart
    for _step in range(steps):
        loss = model(input_ids=ids, labels=labels).loss
        steps_of.zero_grad()
        loss.backward()
        steps_of.step()
    model.save_pretrained(folder)
