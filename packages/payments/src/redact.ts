import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { fromHex, toHex } from './crypto/bytes.ts'

/** Writes out a text without the secrets it may hold. */
export type Redactor = (text: string) => string

/** Shorter ones are words of the language: hiding `test` everywhere would make a log unreadable. */
const LEAST_SECRET_CHARACTERS = 6
const HIDDEN = '[hidden]'

/**
 * Makes the last filter before a text leaves: it knows this process's secrets by value, and hides them as they are,
 * JSON-escaped, percent-encoded, and in base64 or hex, also inside of something longer. Of payments it knows the form:
 * signatures and signed transactions in hex, and payment headers.
 *
 * A filter is the second line: what is written should not have held a secret in the first place. Secrets of fewer
 * than six characters are not looked for.
 *
 * @param secrets as the environment gives them; undefined and empty ones are skipped
 */
export function createRedactor(secrets: readonly (string | undefined)[]): Redactor {
  const known = secrets.filter(
    (secret): secret is string => secret !== undefined && secret.length >= LEAST_SECRET_CHARACTERS,
  )
  // Longer forms first: a form may begin another one.
  const forms = [...new Set(known.flatMap(formsOf))].toSorted((one, other) => other.length - one.length)
  // One pass over what is nearly always innocent: a log is filtered while jobs wait.
  const any = new RegExp(forms.map(literally).join('|'), 'g')
  return text => {
    const shown = forms.length > 0 ? text.replace(any, HIDDEN) : text
    return hidePayments(shown)
  }
}

function literally(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`)
}

/** The parts of a URL that may be secrets: its password, its query, and what looks like a key in its path. */
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

/** A path segment like `v2` or `supported` is no key: one is long, and has digits. */
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

/** How a secret may be written. A key in hex is also looked for without its prefix, and by its bytes. */
function formsOf(secret: string): readonly string[] {
  const text = new TextEncoder().encode(secret)
  const written = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), ...base64Of(text)]
  const digits = toHex(text).slice(2)
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(secret)) return [...written, digits, digits.toUpperCase()]
  const key = secret.slice(2).toLowerCase()
  return [...written, digits, key, key.toUpperCase(), ...base64Of(fromHex(secret))]
}

/** The base64 that these bytes are sure to have, after any number of other bytes; in both alphabets. */
function base64Of(bytes: Uint8Array): readonly string[] {
  return [0, 1, 2].flatMap(offset => {
    const padded = btoa(String.fromCharCode(...new Uint8Array(offset), ...bytes))
    const sure = padded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/**
 * More digits than a hash has: a signature, which has 130, also one that was cut, or a signed transaction. Nothing else
 * that is logged has so many.
 */
const SIGNATURE_DIGITS = 65
const SIGNATURE = /[0-9a-f]{65,}/gi
/** Base64 of `{"`, or of `{` and a space or a line break. A payment has a signature and more. */
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

/** Is there a run of hex as long as a signature? It must pass through one of these places, so only they are looked at. */
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
