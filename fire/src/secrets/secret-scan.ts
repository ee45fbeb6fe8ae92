/** Something that must not be seen, and where it was. */
export interface Leak {
  /** What was planted: `FACILITATOR_SECRET`. */
  readonly secret: string
  /** Where it was seen: `stderr of farebox start`. */
  readonly source: string
  /** How it was written: `raw`, `base64`, `hex`, `percent`, `json`. */
  readonly form: string
  /** What stood around it, the secret itself blotted out: this goes into reports. */
  readonly around: string
}

/** Looks for secrets in whatever was written, in every form, and in parts. */
export interface SecretScan {
  /** Makes a secret known; texts that were read before are looked through for it too. */
  plant(name: string, value: string): void
  /** Takes what was written somewhere. What one source writes is one text, however it came. */
  read(source: string, text: string): void
  leaks(): readonly Leak[]
  /** How much was read. */
  characters(): number
  /** How many secrets are known. */
  secrets(): number
}

/**
 * So much of a secret in one piece is a leak. Pieces that begin at any place are known, and texts are looked at every
 * {@link STRIDE} characters: whatever is longer than both together is found wherever it stands, also where a log cut it.
 */
const PIECE = 16
const STRIDE = 4

/** Makes a scan that knows of nothing yet. Secrets should have 20 characters and more, and be unlike anything else. */
export function createSecretScan(): SecretScan {
  const planted = new Map<string, { readonly secret: string; readonly form: string }>()
  const texts = new Map<string, string[]>()
  let characters = 0
  let secrets = 0
  return {
    plant(secret, value) {
      if (value.length < PIECE + STRIDE) throw new RangeError(`${secret} is too short to be looked for`)
      secrets += 1
      for (const { form, text } of formsOf(value)) {
        for (let at = 0; at + PIECE <= text.length; at += 1)
          planted.set(text.slice(at, at + PIECE), { secret, form })
      }
    },
    read(source, text) {
      characters += text.length
      const known = texts.get(source)
      if (known === undefined) texts.set(source, [text])
      else known.push(text)
    },
    leaks: () => [...texts].flatMap(([source, parts]) => search(source, parts.join(''), planted)),
    characters: () => characters,
    secrets: () => secrets,
  }
}

function search(
  source: string,
  text: string,
  planted: ReadonlyMap<string, { readonly secret: string; readonly form: string }>,
): readonly Leak[] {
  const leaks: Leak[] = []
  for (let at = 0; at + PIECE <= text.length; at += STRIDE) {
    let found = planted.get(text.slice(at, at + PIECE))
    if (found === undefined) continue
    const from = at
    // The rest of the same one is no other. Secrets may begin alike: the last piece says which it is.
    for (;;) {
      const next = planted.get(text.slice(at, at + PIECE))
      if (next === undefined) break
      found = next
      at += 1
    }
    const around = `${text.slice(Math.max(0, from - 80), from)}█${text.slice(at + PIECE - 1, at + PIECE + 20)}`
    leaks.push({ ...found, source, around: around.replaceAll(/\s+/g, ' ') })
  }
  return leaks
}

/** How a value may be written. */
function formsOf(value: string): readonly { readonly form: string; readonly text: string }[] {
  const bytes = [Buffer.from(value)]
  const isHex = /^(?:0x)?(?:[0-9a-f]{2}){16,}$/i.test(value)
  const digits = value.replace(/^0x/, '')
  if (isHex) bytes.push(Buffer.from(digits, 'hex'))
  const encoded = bytes.flatMap(plain => [
    { form: 'hex', text: plain.toString('hex') },
    { form: 'hex', text: plain.toString('hex').toUpperCase() },
    ...[0, 1, 2].flatMap(before => base64After(before, plain)),
  ])
  return [
    { form: 'raw', text: isHex ? digits : value },
    { form: 'json', text: JSON.stringify(value).slice(1, -1) },
    { form: 'percent', text: encodeURIComponent(value) },
    ...encoded,
  ]
}

/** Without the characters that depend on what stands before and after it. */
function base64After(
  before: number,
  bytes: Buffer,
): readonly { readonly form: string; readonly text: string }[] {
  const padded = Buffer.concat([Buffer.alloc(before), bytes])
  const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6)]
  return [
    { form: 'base64', text: padded.toString('base64').slice(from, to) },
    { form: 'base64', text: padded.toString('base64url').slice(from, to) },
  ]
}
