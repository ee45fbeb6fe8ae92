import { TEST_KEYS } from '../chain/test-keys.ts'
import type { ChildLine } from '../processes/child-process.ts'

/** Output of a program that has the form of a secret. */
export interface Suspect {
  readonly what: string
  /** The program and its last argument. */
  readonly source: string
  /** The line, with the secret replaced. */
  readonly line: string
}

/** Secrets that tests create begin with this text, so that they are recognised in an output without a list. */
export const PLANTED_MARK = 'plantedsecret'

/** The mark itself, and its base64 form at each of the three offsets within a group. */
const MARKS = [
  PLANTED_MARK,
  ...[0, 1, 2].map(before =>
    Buffer.from(' '.repeat(before) + PLANTED_MARK)
      .toString('base64')
      .slice(4, -4),
  ),
]

const TEST_PRIVATE_KEYS = Object.values(TEST_KEYS).map(({ privateKey }) => privateKey.slice(2))

const FORMS: readonly { readonly what: string; readonly form: RegExp }[] = [
  { what: 'a planted secret', form: new RegExp(MARKS.join('|'), 'g') },
  { what: 'a FACILITATOR_SECRET', form: /fbx_[0-9a-f]{16}_[\w-]{51}/g },
  { what: 'a signature or a signed transaction', form: /[0-9a-f]{130,}/gi },
  { what: 'a payment header', form: /(?:eyJ|ewo)[\w+/=-]{400,}/g },
  { what: 'a bearer token', form: /Bearer [\w~+/.-]{16,}/g },
  { what: 'a password in a URL', form: /\w:\/\/[^/\s:@"]*:(?!\[hidden\]@)[^/\s@"]+@/g },
  { what: 'the private key of a test account', form: new RegExp(TEST_PRIVATE_KEYS.join('|'), 'gi') },
]

/** The local chain prints its keys, which are public. */
const CHAIN = /\/anvil /

/** The database's launcher reports the address of the database to its parent process in this form. */
const HANDSHAKE = /^\{"connectionString":"[^"]+","port":\d+,"pid":\d+\}$/

/** Returns the parts of one line of a program that have the form of a secret (OPS-08). */
export function suspectsIn({ command, line }: ChildLine): readonly Suspect[] {
  if (CHAIN.test(command) || HANDSHAKE.test(line)) return []
  const source = command.split('/').slice(-2).join('/')
  return FORMS.flatMap(({ what, form }) => {
    const shown = line.replaceAll(form, '█')
    return shown === line ? [] : [{ what, source, line: shown.slice(0, 300) }]
  })
}
