/** Browsers and Node have this global; this package uses the types of neither. */
const { URL } = globalThis as unknown as { readonly URL: new (text: string, base?: string) => object }

/**
 * Is the text a URL? Use this instead of `URL.canParse`, which in Node 20 returns false for texts with characters from
 * U+0080 to U+00FF, such as `https://bücher.example`, after some thousand calls.
 */
export function canParseUrl(text: string, base?: string): boolean {
  try {
    return Boolean(new URL(text, base))
  } catch {
    return false
  }
}
