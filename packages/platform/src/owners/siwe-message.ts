/** The fields of an EIP-4361 message. Times are milliseconds since 1970. */
export interface SiweMessage {
  /** Undefined when the message begins with the domain. */
  readonly scheme: string | undefined
  readonly domain: string
  /** As written in the message, not normalized. */
  readonly address: string
  readonly uri: string
  readonly chainId: number
  readonly nonce: string
  readonly issuedAtMs: number
  readonly expirationTimeMs: number | undefined
  readonly notBeforeMs: number | undefined
}

/** The error for a message that does not have the form of EIP-4361; its message names the wrong line or field. */
export class SiweSyntaxError extends Error {
  override readonly name = 'SiweSyntaxError'
}

const FIRST_LINE =
  /^(?:(?<scheme>[a-z][a-z0-9+.-]*):\/\/)?(?<domain>[A-Za-z0-9.\-:[\]]{1,255}) wants you to sign in with your Ethereum account:$/
const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
/** Printable characters on one line, so that the wallet shows exactly the text that is parsed. */
const TEXT = /^[\x20-\x7e]*$/

/**
 * Parses a whole EIP-4361 message: every line must be in its place, with no duplicates and no extra lines.
 *
 * Throws {@link SiweSyntaxError}.
 */
export function readSiweMessage(message: string): SiweMessage {
  const lines = message.split('\n')
  const bad = lines.findIndex(line => !TEXT.test(line))
  if (bad >= 0) throw new SiweSyntaxError(`line ${bad + 1} has characters that are not printable ASCII`)
  const reader = createLineReader(lines)
  const { scheme, domain = '' } = reader.match(FIRST_LINE, 'must name the domain').groups ?? {}
  const { address = '' } = reader.match(/^(?<address>0x[0-9a-fA-F]{40})$/, 'must be an address').groups ?? {}
  reader.match(/^$/, 'must be empty')
  // The statement is optional together with its line break: without it there are two empty lines.
  if (reader.next() !== '') reader.match(/^.+$/, 'must be the statement')
  reader.match(/^$/, 'must be empty')
  const uri = reader.field('URI')
  const version = reader.field('Version')
  if (version !== '1') throw new SiweSyntaxError('Version must be 1')
  const chainId = reader.field('Chain ID', /^[1-9]\d{0,14}$/)
  const nonce = reader.field('Nonce', /^[A-Za-z0-9]{8,96}$/)
  const issuedAtMs = readTime('Issued At', reader.field('Issued At', RFC3339))
  const expirationTimeMs = readTimeIfAny('Expiration Time', reader)
  const notBeforeMs = readTimeIfAny('Not Before', reader)
  reader.optionalField('Request ID', TEXT)
  if (reader.next() === 'Resources:') {
    reader.match(/^Resources:$/, 'must begin the resources')
    while (reader.next() !== undefined) reader.match(/^- \S+$/, 'must be a resource')
  }
  if (reader.next() !== undefined) reader.match(/(?!)/, 'is not known here')
  return {
    scheme,
    domain,
    address,
    uri,
    nonce,
    chainId: Number(chainId),
    issuedAtMs,
    expirationTimeMs,
    notBeforeMs,
  }
}

interface LineReader {
  /** The next line, which is not consumed; undefined after the last one. */
  next(): string | undefined
  match(form: RegExp, rule: string): RegExpExecArray
  field(name: string, form?: RegExp): string
  optionalField(name: string, form: RegExp): string | undefined
}

function createLineReader(lines: readonly string[]): LineReader {
  let at = 0
  const match = (form: RegExp, rule: string): RegExpExecArray => {
    const found = form.exec(lines[at] ?? '')
    if (found === null || at >= lines.length) throw new SiweSyntaxError(`line ${at + 1} ${rule}`)
    at += 1
    return found
  }
  const field = (name: string, form = /^\S+$/): string => {
    const line = lines[at] ?? ''
    const value = line.slice(name.length + 2)
    if (!line.startsWith(`${name}: `) || !form.test(value))
      throw new SiweSyntaxError(`line ${at + 1} must be "${name}: …" in its form`)
    at += 1
    return value
  }
  const next = (): string | undefined => lines[at]
  return {
    next,
    match,
    field,
    optionalField: (name, form) => (next()?.startsWith(`${name}: `) === true ? field(name, form) : undefined),
  }
}

function readTimeIfAny(name: string, reader: LineReader): number | undefined {
  const value = reader.optionalField(name, RFC3339)
  return value === undefined ? undefined : readTime(name, value)
}

function readTime(name: string, value: string): number {
  const ms = Date.parse(value)
  if (Number.isNaN(ms)) throw new SiweSyntaxError(`${name} is no time that there is`)
  return ms
}
