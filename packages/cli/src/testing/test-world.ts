import { join } from 'node:path'
import type { Choice } from '../world.ts'
import type { Screen, World } from '../world.ts'

/** The parts of a command's world that a test sets. */
export interface TestWorldOptions {
  /** The working directory; make it a temporary folder. */
  readonly folder: string
  /** The environment; default: empty. */
  readonly variables?: World['variables']
  /** Default: `.home` in the folder. */
  readonly home?: string
  /** The content of standard input; default: empty. */
  readonly input?: string
  /**
   * The person's answers, question by question: true or false to `confirm`, the text to `text` and `password`, the
   * value to `choose`; a function for a value known later. Absent: there is no person (`canAsk` is false). A question
   * beyond the last answer fails the test.
   */
  readonly answers?: readonly (string | boolean | (() => Promise<string>))[]
  /** Whether the screens are terminals, with colours and moving lines; default false. */
  readonly live?: boolean
  /** The repository of the program; absent: it was installed from a registry. */
  readonly clone?: string
  /** The program's name at a prompt; default `farebox`. */
  readonly program?: string
  readonly signal?: AbortSignal
  /** The person's browser: called with every page that is opened; absent: there is none. */
  readonly browser?: (url: string) => void
}

/** A world whose screens are recorded. */
export interface TestWorld {
  readonly world: World
  /** The text on the standard output so far. */
  out(): string
  /** The text on the error screen so far. */
  err(): string
  /** All output of both, and every question: for checks that a text is absent. */
  everything(): string
  /** The questions asked so far. */
  readonly questions: readonly string[]
}

/**
 * A terminal for a test: a folder, an environment, an input, a person who answers.
 *
 * @example
 * const { world, out, err } = createTestWorld({ folder, answers: [true] })
 * expect(await runCli(['call', url, 'count', '--text', 'hi'], world)).toBe(0)
 */
export function createTestWorld(options: TestWorldOptions): TestWorld {
  const { folder, variables = {}, home = join(folder, '.home'), input = '', live = false } = options
  const answers = [...(options.answers ?? [])]
  const questions: string[] = []
  const written = { out: '', err: '' }
  const screen = (name: 'out' | 'err'): Screen => ({
    write: text => void (written[name] += text),
    live,
    columns: 80,
  })

  /** The next answer that the question accepts; after a refused one it is asked again, as on a terminal. */
  async function next(
    question: string,
    refuse?: (answer: string) => string | undefined,
  ): Promise<string | boolean> {
    questions.push(question)
    const given = answers.shift()
    if (given === undefined) throw new Error(`nobody answers: ${question}`)
    const answer = typeof given === 'function' ? await given() : given
    const reason = typeof answer === 'string' ? refuse?.(answer) : undefined
    if (reason === undefined) return answer
    questions.push(reason)
    return await next(question, refuse)
  }

  const asText = (answer: string | boolean): string => String(answer)
  const world: World = {
    folder,
    variables,
    home,
    clone: options.clone,
    program: options.program ?? 'farebox',
    out: screen('out'),
    err: screen('err'),
    canAsk: options.answers !== undefined,
    ask: {
      confirm: async question => (await next(question)) === true,
      text: async (question, { initial, refuse, placeholder = '' } = {}) => {
        const answer = asText(await next(`${question} ${placeholder}`.trimEnd(), refuse))
        return answer === '' ? (initial ?? '') : answer
      },
      password: async (question, { refuse } = {}) => asText(await next(question, refuse)),
      choose: async (question, choices) => oneOf(choices, asText(await next(question))),
    },
    openPage: url => {
      options.browser?.(url)
      return Promise.resolve(options.browser !== undefined)
    },
    readInput: () => Promise.resolve(input),
    signal: options.signal ?? new AbortController().signal,
  }
  return {
    world,
    out: () => written.out,
    err: () => written.err,
    everything: () => [written.out, written.err, ...questions].join('\n'),
    questions,
  }
}

function oneOf(choices: readonly Choice[], value: string): string {
  if (choices.some(choice => choice.value === value)) return value
  throw new Error(`${value} is none of ${choices.map(choice => choice.value).join(', ')}`)
}
