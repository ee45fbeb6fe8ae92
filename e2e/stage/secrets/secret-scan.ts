/** Searches the output of programs for secrets, in every form and in parts. */
export interface SecretScan {
  /** Registers a secret of at least 20 characters; earlier texts are searched for it too. */
  plant(name: string, secret: string): void
  /** Adds to the text of a source, which is searched as one text. */
  read(source: string, text: string): void
  /** The first secret in each source, with the preceding text. */
  leaks(): readonly string[]
  /** The amount of text read. */
  characters(): number
}

/**
 * This much of a secret in one piece is a leak. All its pieces are indexed, and texts are searched at every fourth
 * character: a match longer than both together is found wherever it begins, also if a log truncated it.
 */
const PIECE = 16
const STRIDE = 4

/** Creates a scan without secrets. */
export function createSecretScan(): SecretScan {
  const pieces = new Map<string, string>()
  const texts = new Map<string, string>()
  return {
    plant(name, secret) {
      if (secret.length < PIECE + STRIDE) throw new RangeError(`${name} is too short to be searched for`)
      for (const text of formsOf(secret))
        for (let at = 0; at + PIECE <= text.length; at += 1) pieces.set(text.slice(at, at + PIECE), name)
    },
    read: (source, text) => void texts.set(source, (texts.get(source) ?? '') + text),
    leaks: () => [...texts].flatMap(([source, text]) => search(source, text, pieces)),
    characters: () => [...texts.values()].join('').length,
  }
}

function search(source: string, text: string, pieces: ReadonlyMap<string, string>): readonly string[] {
  for (let at = 0; at + PIECE <= text.length; at += STRIDE) {
    const name = pieces.get(text.slice(at, at + PIECE))
    if (name !== undefined) return [`${name} in ${source}, after: ${text.slice(Math.max(0, at - 80), at)}`]
  }
  return []
}

/** Unchanged, in JSON, in a URL, in hex and in base64; a key also by its bytes. */
function formsOf(secret: string): readonly string[] {
  const isKey = /^0x(?:[0-9a-f]{2}){16,}$/i.test(secret)
  const bytes = [Buffer.from(secret), ...(isKey ? [Buffer.from(secret.slice(2), 'hex')] : [])]
  return [
    isKey ? secret.slice(2) : secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    ...bytes.flatMap(plain => {
      const hex = plain.toString('hex')
      return [hex, hex.toUpperCase(), ...[0, 1, 2].flatMap(before => base64After(before, plain))]
    }),
  ]
}

/** Without the characters that depend on the bytes before and after it. */
function base64After(before: number, bytes: Buffer): readonly string[] {
  const padded = Buffer.concat([Buffer.alloc(before), bytes])
  const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6)]
  return [padded.toString('base64').slice(from, to), padded.toString('base64url').slice(from, to)]
}
