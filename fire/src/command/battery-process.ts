import { subscribe } from 'node:diagnostics_channel'
import { CHILD_LINES, type ChildLine } from '@farebox/local/src/processes/child-process'
import { suspectsIn, type Suspect } from '@farebox/local/src/testing/program-suspects'
import { BATTERIES } from '../batteries.ts'
import { RefusedOption } from '../battery.ts'
import type { BatteryMessage, BatteryOrder } from './run-apart.ts'

// The process of one battery. It exits by itself when the battery has ended, so that leftover activity is noticed.

const stopping = new AbortController()
process.on('SIGINT', () => stopping.abort())
process.on('SIGTERM', () => stopping.abort())
process.on('disconnect', () => stopping.abort())
process.once('message', (order: BatteryOrder) => void serve(order).catch(fail))

async function serve({ name, ...run }: BatteryOrder): Promise<void> {
  const battery = await BATTERIES[name]?.load()
  if (battery === undefined) throw new TypeError(`no battery is called ${name}`)
  let characters = 0
  const suspects: Suspect[] = []
  subscribe(CHILD_LINES, message => {
    const line = message as ChildLine
    characters += line.line.length
    suspects.push(...suspectsIn(line))
  })
  const { signal } = stopping
  const result = await battery.run({ ...run, signal, progress: progress => say({ progress }) })
  // A battery that starts programs is also judged by their output.
  const secrets = {
    test: `${characters.toLocaleString('en-US')} characters its programs wrote`,
    reached: `${suspects.length} secrets`,
    target: '0 secrets',
    isMet: suspects.length === 0,
  }
  const scores = characters === 0 ? result.scores : [...result.scores, secrets]
  const found = suspects.slice(0, 10).map(({ what, source, line }) => `${what} in ${source}: ${line}`)
  say({ result: { ...result, scores, findings: [...result.findings, ...found] } })
  process.disconnect()
}

/** A battery that fails has no scores; the others still run. A refusal needs no stack. */
function fail(error: unknown): void {
  if (!(error instanceof RefusedOption)) console.error(error)
  say({ result: { scores: [], findings: [error instanceof Error ? error.message : String(error)] } })
  process.disconnect()
}

function say(message: BatteryMessage): void {
  if (process.connected) process.send?.(message)
}
