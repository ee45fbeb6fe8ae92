/**
 * The key that corresponds to a word used in other declaration formats: `price` for `pricing`, `parameters` for
 * `input_schema`.
 *
 * @param known the valid keys
 */
export function meantKey(word: string, known: readonly string[]): string | undefined {
  const meanings = OTHER_WORDS.get(word.toLowerCase())
  return known.find(key => meanings?.includes(key) === true)
}

const OTHER_WORDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['version', ['service_version']],
  ['title', ['name']],
  ['summary', ['description']],
  ['address', ['wallet']],
  ['pay_to', ['wallet']],
  ['payto', ['wallet']],
  ['timeout', ['max_deadline_seconds']],
  ['timeout_seconds', ['max_deadline_seconds']],
  ['deadline', ['max_deadline_seconds']],
  ['max_deadline', ['max_deadline_seconds']],
  ['tools', ['capabilities']],
  ['skills', ['capabilities']],
  ['actions', ['capabilities']],
  ['functions', ['capabilities']],
  ['price', ['pricing', 'amount']],
  ['cost', ['pricing', 'amount']],
  ['value', ['amount']],
  ['type', ['model']],
  ['token', ['currency']],
  ['asset', ['currency', 'token']],
  ['input', ['input_schema']],
  ['inputs', ['input_schema']],
  ['parameters', ['input_schema']],
  ['params', ['input_schema']],
  ['output', ['output_schema']],
  ['outputs', ['output_schema']],
  ['returns', ['output_schema']],
  ['result', ['output_schema']],
  ['max', ['max_per_transaction']],
  ['limit', ['max_per_transaction']],
])
