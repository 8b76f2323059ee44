/** The prices of models. `console.prices` adds to it and changes it. */
export const PRICES = {
  source: 'https://github.com/simonw/llm-prices',
  /** When the source said so. */
  date: '2026-08-05',
  /** For a million input tokens, without caches and discounts. */
  dollars: {
    'Claude Opus 4.8': 5,
    'Claude Sonnet 5': 2,
    'Claude Haiku 4.5': 1,
    'GPT-5.6 Sol': 5,
    'GPT-5.6 Terra': 2.5,
    'GPT-5.6 Luna': 1,
    'Gemini 3.1 Pro': 2,
    'Gemini 3.6 Flash': 1.5,
  } as Readonly<Record<string, number>>,
}
