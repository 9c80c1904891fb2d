// Runs the examples that have a button: their console is the text beside it.
for (const button of document.querySelectorAll('[data-example]')) {
  const output = button.nextElementSibling;
  button.addEventListener('click', async () => {
    const lines = [];
    const log = (...values) => lines.push(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '));
    button.disabled = true;
    output.textContent = 'Running …';
    try {
      const { default: example } = await import(new URL(button.dataset.example, document.baseURI));
      await example({ log });
    } catch (error) {
      log(error.message);
    }
    output.textContent = lines.join('\n');
    button.disabled = false;
  });
}
