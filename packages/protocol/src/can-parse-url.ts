/** Browsers and Node have it; this package uses the types of neither. */
const { URL } = globalThis as unknown as { readonly URL: new (text: string, base?: string) => object }

/**
 * Whether the text is a URL. Use it instead of `URL.canParse`: in Node 20 that answers false for texts with characters from
 * U+0080 to U+00FF, such as `https://bücher.example`, after some thousand calls.
 */
export function canParseUrl(text: string, base?: string): boolean {
  try {
    return Boolean(new URL(text, base))
  } catch {
    return false
  }
}
