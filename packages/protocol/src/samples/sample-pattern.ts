/**
 * Texts that a pattern probably matches, created from its common constructs: literals, classes, groups, alternatives and
 * repeats. The caller checks each text; for a pattern with any other construct there are none.
 */
export function* samplePattern(source: string): Generator<string> {
  const part = readPattern(source)
  if (part === undefined) return
  for (let choice = 0; choice < MAX_CHOICES; choice += 1) {
    for (let extra = 0; extra <= MAX_EXTRA; extra += 1) {
      const text = part({ choice, extra })
      if (text.length <= MAX_LENGTH) yield text
    }
  }
}

const MAX_CHOICES = 3
const MAX_EXTRA = 64
const MAX_LENGTH = 2_000

/** The choices for a text: which alternative to take, and how often to repeat beyond the minimum. */
interface Taste {
  readonly choice: number
  readonly extra: number
}

/** Creates the text of one part of a pattern. */
type Part = (taste: Taste) => string

/** The state of parsing; `failed` after an unsupported construct. */
interface Reader {
  readonly source: string
  position: number
  failed: boolean
}

function readPattern(source: string): Part | undefined {
  const reader: Reader = { source, position: 0, failed: false }
  const part = readAlternatives(reader)
  return reader.failed || reader.position < source.length ? undefined : part
}

function readAlternatives(reader: Reader): Part {
  const alternatives = [readSequence(reader)]
  while (take(reader, '|')) alternatives.push(readSequence(reader))
  return taste => alternatives[taste.choice % alternatives.length]?.(taste) ?? ''
}

function readSequence(reader: Reader): Part {
  const parts: Part[] = []
  while (!reader.failed && reader.position < reader.source.length && !/[|)]/.test(peek(reader))) {
    parts.push(readRepeat(reader, readAtom(reader)))
  }
  return taste =>
    parts
      .map(part => part(taste))
      .join('')
      .slice(0, MAX_LENGTH + 1)
}

function readRepeat(reader: Reader, part: Part): Part {
  const repeat = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/.exec(reader.source.slice(reader.position))
  if (repeat === null) return part
  reader.position += repeat[0].length
  const [sign, low, comma, high] = repeat
  const least = low === undefined ? (sign.startsWith('+') ? 1 : 0) : Number(low)
  const most = low === undefined ? (sign.startsWith('?') ? 1 : MAX_LENGTH) : mostOf(Number(low), comma, high)
  return taste => {
    const text = part(taste)
    const times = Math.min(least + taste.extra, most)
    return text.repeat(text === '' ? 0 : Math.min(times, Math.ceil((MAX_LENGTH + 1) / text.length)))
  }
}

function mostOf(low: number, comma: string | undefined, high: string | undefined): number {
  if (comma === undefined) return low
  return high === undefined || high === '' ? MAX_LENGTH : Number(high)
}

function readAtom(reader: Reader): Part {
  if (take(reader, '(')) return readGroup(reader)
  if (take(reader, '[')) return readClass(reader)
  if (take(reader, '\\')) return literal(readEscape(reader))
  const character = takeCharacter(reader)
  if (character === '^' || character === '$') return literal('')
  return literal(character === '.' ? 'a' : character)
}

function readGroup(reader: Reader): Part {
  const opening = /^\?(?:P?<\w+>|[a-z]*(-[a-z]+)?(?<end>[:)]))/i.exec(reader.source.slice(reader.position))
  if (opening === null && peek(reader) === '?') return fail(reader)
  reader.position += opening?.[0].length ?? 0
  if (opening?.groups?.['end'] === ')') return literal('')
  const inside = readAlternatives(reader)
  return take(reader, ')') ? inside : fail(reader)
}

/**
 * Tests visible ASCII characters against the class with JavaScript's own engine; with one character at a time that is safe.
 */
function readClass(reader: Reader): Part {
  const rest = reader.source.slice(reader.position - 1)
  const whole = /^\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]/u.exec(rest)?.[0]
  if (whole === undefined || whole.includes('[:')) return fail(reader)
  reader.position += whole.length - 1
  try {
    const test = new RegExp(`^${whole}$`, 'u')
    const member = Array.from(CANDIDATES).find(candidate => test.test(candidate))
    return member === undefined ? fail(reader) : literal(member)
  } catch {
    return fail(reader)
  }
}

/** Letters and digits first: they are the most readable in a sample. */
const CANDIDATES = 'aA0bB1cC2xX9zZ _-.,:;!?@#$%&*+=/\\|<>()[]{}^~`\'"éßλ中'

function readEscape(reader: Reader): string {
  const property = /^[pP](?:\{\^?\w+\}|\w)/.exec(reader.source.slice(reader.position))?.[0]
  if (property !== undefined) reader.position += property.length
  const escape = property?.replace(/[{}]/g, '') ?? takeCharacter(reader)
  const meaning = ESCAPES[escape]
  if (meaning !== undefined) return meaning
  if (/\w/.test(escape)) reader.failed = true
  return escape
}

const ESCAPES: { readonly [escape: string]: string } = {
  d: '0',
  D: 'a',
  w: 'a',
  W: '-',
  s: ' ',
  S: 'a',
  b: '',
  A: '',
  z: '',
  t: '\t',
  n: '\n',
  r: '\r',
  pL: 'a',
  pLl: 'a',
  pLu: 'A',
  pN: '0',
  pNd: '0',
  pP: '.',
}

function literal(text: string): Part {
  return () => text
}

function fail(reader: Reader): Part {
  reader.failed = true
  return literal('')
}

function peek({ source, position }: Reader): string {
  return source[position] ?? ''
}

function take(reader: Reader, character: string): boolean {
  if (peek(reader) !== character) return false
  reader.position += 1
  return true
}

/** Takes one code point, so that an emoji before a repeat stays whole. */
function takeCharacter(reader: Reader): string {
  const character = String.fromCodePoint(reader.source.codePointAt(reader.position) ?? 0)
  reader.position += character.length
  return character
}
