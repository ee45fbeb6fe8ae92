import { printable } from '@farebox/conformance/internal/printable'
import type { Screen, World } from '../../world.ts'
import { asTyped, cut, paintFor } from '../../terminal/text.ts'
import type { TypeProblem } from './check-types.ts'
import type { Description } from '../messages/messages.ts'

/** Creates an announcer for the world's output, in the format of the agent's log (`SERVICE_LOG`, D27). */
export function createAnnouncer(world: World, format: () => 'text' | 'json'): Announcer {
  const text = announceAsText(world)
  const json = announceAsJson(world)
  return announceToAll(() => [format() === 'json' ? json : text])
}

/** The maximum number of characters in a line; unlimited when the output is not a terminal. */
export function columnsOf(screen: Screen): number {
  return screen.live ? screen.columns : UNBOUNDED_COLUMNS
}

const UNBOUNDED_COLUMNS = 10_000

function announceAsText(world: World): Announcer {
  const { out, err } = world
  const paint = paintFor(out)
  const say = (...lines: readonly string[]): void => out.write(`${lines.join('\n')}\n`)
  return {
    serving({ name, url, mode, lines, samples, next }, isFirst) {
      say(`${paint.bold(printable(name))}   ${paint.cyan(url)}   ${mode}`, ...lines)
      if (samples.length > 0) say('', ...samples)
      if (isFirst) say('', paint.dim('  try it'), ...next.map(line => `    ${asTyped(world, line)}`))
      say('')
    },
    restarted(restart) {
      const { what, done } = describeChange(restart)
      say(`${paint.green(printable(what))} → ${done}`)
    },
    refused: (reason, stillServing) =>
      say(`${paint.red('✗')} ${reason}`, paint.dim(`  ${describeRest(stillServing)}`)),
    trouble: (reason, next) => say(`${paint.red('✗')} ${reason}`, paint.dim(`  ${next}`)),
    types(problems) {
      if (problems.length === 0) return say(paint.green('types ok'))
      const shown = problems.slice(0, MAX_TYPE_PROBLEMS).flatMap(({ file, line, column, reasons }) => {
        const [first = '', ...more] = reasons
        // The last sentence is the one about the wrong value itself.
        const last = more.at(-1)
        const head = `${paint.yellow('!')} ${paint.bold(printable(`${file}:${line}:${column}`))}`
        const lines = last === undefined ? [first] : [last, first]
        return [head, ...lines.map(text => `    ${cut(printable(text), columnsOf(out) - 4)}`)]
      })
      const rest = problems.length - MAX_TYPE_PROBLEMS
      const count = problems.length === 1 ? 'a type error' : `${problems.length} type errors`
      say(
        ...shown,
        ...(rest > 0 ? [`    … ${rest} more: npx tsc --noEmit`] : []),
        paint.dim(`  ${count}; served all the same`),
      )
    },
    line(line, from) {
      const screen = from === 'out' ? out : err
      screen.write(`${painted(line)}\n`)
    },
    trace: lines => {
      if (lines.length > 0) say(...lines)
    },
    note: text => say(paint.dim(cut(printable(text), columnsOf(out)))),
  }

  function painted(line: string): string {
    if (out.live) {
      const [, problem, job] = WRONG_OUTPUT.exec(line) ?? []
      if (problem !== undefined)
        return [
          `${paint.yellow(paint.bold('! wrong output'))}  ${paint.bold(problem)} ${paint.dim(job ?? '')}`,
          '    answered 200 in dev mode alone: production answers 500 and is not paid',
          '    return what output_schema declares, or change output_schema in agent.json',
        ].join('\n')
    }
    if (line.startsWith('warning: ')) return paint.yellow(line)
    return line.startsWith('handler error: ') ? paint.red(line) : line
  }
}

/** The runtime's message in dev mode, the relevant one of several lines about a job. */
const WRONG_OUTPUT =
  /^warning: output does not match output_schema: (.*); production answers 500 and is not paid(?: (job=\S+))?$/

/** Further problems are only counted: a person starts with the first. */
const MAX_TYPE_PROBLEMS = 3

/** Messages during development: for a person, or one JSON object for each line. */
export interface Announcer {
  /** Announces a version with a changed description; the first one includes what to try next. */
  serving(description: Description, isFirst: boolean): void
  restarted(restart: Restart): void
  refused(reason: string, stillServing: boolean): void
  /** Announces a problem with the agent's process, and what is done about it. */
  trouble(reason: string, next: string): void
  /** Announces the current type errors; an empty list when the reported ones are fixed. */
  types(problems: readonly TypeProblem[]): void
  line(line: string, from: 'out' | 'err'): void
  trace(lines: readonly string[]): void
  /** Any other message. */
  note(text: string): void
}

export interface Restart {
  /** Paths relative to the folder in which the command was called; empty when only the process was replaced. */
  readonly files: readonly string[]
  readonly tookMs: number
  readonly isRecovered: boolean
}

/** The same messages as one JSON object for each line, in the format of the agent's log with `SERVICE_LOG=json`. */
function announceAsJson({ out, err }: World): Announcer {
  const say = (level: 'info' | 'warn', event: string, fields: object): void =>
    out.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`)
  return {
    serving({ name, url, mode, sampled, page }) {
      say('info', 'listening', { name, url, mode, ...(page !== undefined && { page }) })
      if (sampled.length > 0)
        say('warn', 'answers are samples, there are no handlers', { capabilities: sampled })
    },
    restarted: ({ files, tookMs }) => say('info', 'restarted', { changed: files, ms: tookMs }),
    refused: (reason, stillServing) => say('warn', 'not served', { reason, stillServing }),
    trouble: (reason, next) => say('warn', 'trouble', { reason, next }),
    types: problems =>
      problems.length === 0
        ? say('info', 'types ok', {})
        : say('warn', 'type errors', { problems: problems.map(one => ({ ...one })) }),
    line: (line, from) => (from === 'out' ? out : err).write(`${line}\n`),
    // The log already contains the events on which it is based.
    trace: () => undefined,
    note: text => say('info', text, {}),
  }
}

/** Sends each message to several announcers in order; the list is read again for each message. */
export function announceToAll(screens: () => readonly Announcer[]): Announcer {
  const each = (tell: (screen: Announcer) => void): void => {
    for (const screen of screens()) tell(screen)
  }
  return {
    serving: (description, isFirst) => each(screen => screen.serving(description, isFirst)),
    restarted: restart => each(screen => screen.restarted(restart)),
    refused: (reason, stillServing) => each(screen => screen.refused(reason, stillServing)),
    trouble: (reason, next) => each(screen => screen.trouble(reason, next)),
    types: problems => each(screen => screen.types(problems)),
    line: (line, from) => each(screen => screen.line(line, from)),
    trace: lines => each(screen => screen.trace(lines)),
    note: text => each(screen => screen.note(text)),
  }
}

/** Further files are only counted. */
const MAX_LISTED = 3

/** Describes what changed and the result: `agent.json changed`, `restarted in 140 ms`. */
export function describeChange({ files, tookMs, isRecovered }: Restart): {
  readonly what: string
  readonly done: string
} {
  return {
    what: files.length === 0 ? 'new process' : `${listed(files)} changed`,
    done: `${isRecovered ? 'serving again in' : 'restarted in'} ${tookMs} ms`,
  }
}

export function describeRest(stillServing: boolean): string {
  return stillServing
    ? 'still serving the last good version'
    : 'nothing is served: it is tried again at the next save'
}

function listed(files: readonly string[]): string {
  if (files.length <= MAX_LISTED) return files.join(', ')
  return `${files.slice(0, MAX_LISTED - 1).join(', ')} and ${files.length - MAX_LISTED + 1} more`
}
