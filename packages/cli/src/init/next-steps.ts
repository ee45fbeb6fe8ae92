import { printable } from '@farebox/conformance/internal/printable'
import { SAMPLE_TEXT } from './project/new-agent.ts'
import { relative, sep } from 'node:path'

/** Commands to copy: to run the agent, and to call it from another terminal. */
export type NextSteps = readonly [run: readonly string[], call: readonly string[]]

export interface NextStepsOptions {
  /** Absolute. */
  readonly from: string
  /** Absolute. */
  readonly to: string
  /** The commands that an existing `package.json` needs; `undefined` when this command wrote it. */
  readonly additions: readonly string[] | undefined
  /** A UUID v4. */
  readonly jobId: string
}

/** Returns what to do after `farebox init`. */
export function projectNextSteps(options: NextStepsOptions): NextSteps {
  const { additions = [] } = options
  const way = wayTo(options.from, options.to)
  return [
    [
      ...(way === '' ? [] : [`cd ${shellWord(way)}`]),
      ...additions,
      ...(additions.some(command => command.startsWith('npm install')) ? [] : ['npm install']),
      'npx farebox dev',
    ],
    curl(options.jobId),
  ]
}

/** 2100-01-01, so that the line still works when it is found in a shell's history. */
const FAR_DEADLINE = 4_102_444_800

/** The first capability needs no name, so nothing in the command has to be quoted. */
function curl(jobId: string): readonly string[] {
  return [
    `curl -s localhost:3000/execute -H 'content-type: application/json' -d '{`,
    `  "service_version": "1.0", "job_id": "${jobId}",`,
    `  "task": { "input": { "text": "${SAMPLE_TEXT}" } }, "deadline": ${FAR_DEADLINE} }'`,
  ]
}

function shellWord(word: string): string {
  if (/^[\w./@%+=,:-]+$/.test(word)) return word
  return `'${printable(word).replaceAll("'", String.raw`'\''`)}'`
}

/**
 * Returns the path to a folder as a person types it: relative when it is near, absolute when the relative path would go up
 * too far.
 */
export function wayTo(from: string, to: string): string {
  const way = relative(from, to)
  return way.startsWith(`..${sep}..`) ? to : way
}
