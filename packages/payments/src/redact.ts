import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { fromHex, toHex } from './crypto/bytes.ts'

/** Returns a text with its secrets replaced. */
export type Redactor = (text: string) => string

/** Shorter secrets are likely to be ordinary words: replacing every `test` would make a log unreadable. */
const LEAST_SECRET_CHARACTERS = 6
const HIDDEN = '[hidden]'

/**
 * Creates the last filter before a text leaves the process. It knows the secrets of the process and replaces them in plain
 * form, JSON-escaped, percent-encoded, and in base64 or hex, also inside longer texts. Payments are recognised by their
 * form: signatures and signed transactions in hex, and payment headers.
 *
 * The filter is a second line of defence: texts should contain no secrets in the first place. Secrets of fewer than six
 * characters are not replaced.
 *
 * @param secrets as in the environment; undefined and empty ones are ignored
 */
export function createRedactor(secrets: readonly (string | undefined)[]): Redactor {
  const known = secrets.filter(
    (secret): secret is string => secret !== undefined && secret.length >= LEAST_SECRET_CHARACTERS,
  )
  // Longer forms first, because one form may be a prefix of another.
  const forms = [...new Set(known.flatMap(formsOf))].toSorted((one, other) => other.length - one.length)
  // A single pass, because nearly all texts contain no secret and jobs wait while a log line is filtered.
  const any = new RegExp(forms.map(literally).join('|'), 'g')
  return text => {
    const shown = forms.length > 0 ? text.replace(any, HIDDEN) : text
    return hidePayments(shown)
  }
}

function literally(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`)
}

/** The parts of a URL that may be secrets: its password, its query, and path segments that look like a key. */
export function secretsInUrl(url: string | undefined): readonly string[] {
  if (url === undefined || !canParseUrl(url)) return []
  const { username, password, searchParams, pathname } = new URL(url)
  const encoded = [
    password,
    username === '' ? '' : `${username}:${password}@`,
    ...pathname.split('/').filter(isKey),
  ]
  return [...encoded.flatMap(part => [part, decoded(part)]), ...searchParams.values()].filter(
    part => part !== '',
  )
}

/** Does a path segment look like a key? A key is long and contains digits, unlike `v2` or `supported`. */
function isKey(segment: string): boolean {
  return segment.length >= 12 && /\d/.test(segment)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The forms in which a secret may be written. A hex key is also searched without its prefix, and as bytes. */
function formsOf(secret: string): readonly string[] {
  const text = new TextEncoder().encode(secret)
  const written = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...base64Of(text)]
  const digits = toHex(text).slice(2)
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(secret)) return [...written, digits, digits.toUpperCase()]
  const key = secret.slice(2).toLowerCase()
  return [...written, digits, key, key.toUpperCase(), ...base64Of(fromHex(secret))]
}

/** The part of the bytes' base64 that does not depend on preceding bytes; in both alphabets. */
function base64Of(bytes: Uint8Array): readonly string[] {
  return [0, 1, 2].flatMap(offset => {
    const padded = btoa(String.fromCharCode(...new Uint8Array(offset), ...bytes))
    const sure = padded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/**
 * More digits than a hash has: found in a signature of 130 digits, also a truncated one, or a signed transaction. Nothing
 * else in the logs has as many.
 */
const SIGNATURE_DIGITS = 65
const SIGNATURE = /[0-9a-f]{65,}/gi
/** Base64 of `{"`, or of `{` and a space or a line break, followed by at least the length of a payment. */
const BASE64_OBJECT = /(?:eyJ|ewo|eyA)[\w+/=-]{120,}/g

function hidePayments(text: string): string {
  const shown = text.replace(BASE64_OBJECT, hidePayment)
  return hasManyDigits(shown) ? shown.replace(SIGNATURE, HIDDEN) : shown
}

function hidePayment(base64: string): string {
  try {
    const text = atob(base64.replaceAll('-', '+').replaceAll('_', '/').replace(/=+.*$/, ''))
    return /"(?:signature|authorization)"/.test(text) ? HIDDEN : base64
  } catch {
    return base64
  }
}

/** Is there a run of hex as long as a signature? Such a run covers one of these positions, so only they are checked. */
function hasManyDigits(text: string): boolean {
  for (let at = SIGNATURE_DIGITS - 1; at < text.length; at += SIGNATURE_DIGITS) {
    let [first, last] = [at, at]
    while (isHexDigit(text.charCodeAt(first - 1))) first -= 1
    while (isHexDigit(text.charCodeAt(last + 1))) last += 1
    if (isHexDigit(text.charCodeAt(at)) && last - first + 1 >= SIGNATURE_DIGITS) return true
  }
  return false
}

function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70)
}
