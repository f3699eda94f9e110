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
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<end>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([*TEXTS, " R F C I r f c i" * 50], trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>")
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
