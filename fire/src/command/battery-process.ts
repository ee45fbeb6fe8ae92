import { subscribe } from 'node:diagnostics_channel'
import { CHILD_LINES, type ChildLine } from '@farebox/local/src/processes/child-process'
import { suspectsIn, type Suspect } from '@farebox/local/src/testing/program-suspects'
import { BATTERIES } from '../batteries.ts'
import type { BatteryResult, BatteryRun } from '../battery.ts'
import type { BatteryMessage, BatteryOrder } from './run-apart.ts'

// The process of one battery. It ends by itself when the battery has, so that what it leaves running is noticed.

const stopping = new AbortController()
process.on('SIGINT', () => stopping.abort())
process.on('SIGTERM', () => stopping.abort())
process.on('disconnect', () => stopping.abort())
process.once('message', (order: BatteryOrder) => void serve(order))

async function serve({ name, ...run }: BatteryOrder): Promise<void> {
  try {
    const battery = await BATTERIES[name]?.load()
    if (battery === undefined) throw new TypeError(`no battery is called ${name}`)
    const progress: BatteryRun['progress'] = progress => say({ kind: 'progress', progress })
    const output = { characters: 0, suspects: [] as Suspect[] }
    subscribe(CHILD_LINES, message => {
      const line = message as ChildLine
      output.characters += line.line.length
      output.suspects.push(...suspectsIn(line))
    })
    const result = await battery.run({ ...run, signal: stopping.signal, progress })
    say({ kind: 'result', result: withSecretScore(result, output) })
  } catch (error) {
    say({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
  process.disconnect()
}

/** A battery that starts programs is also judged by what they write. */
function withSecretScore(
  result: BatteryResult,
  { characters, suspects }: { readonly characters: number; readonly suspects: readonly Suspect[] },
): BatteryResult {
  if (characters === 0) return result
  const score = {
    test: `${characters.toLocaleString('en-US')} characters its programs wrote`,
    reached: `${suspects.length} secrets`,
    target: '0 secrets',
    isMet: suspects.length === 0,
  }
  const findings = suspects.map(({ what, source, line }) => `${what} in ${source}: ${line}`)
  return {
    ...result,
    scores: [...result.scores, score],
    findings: [...result.findings, ...findings.slice(0, 10)],
  }
}

function say(message: BatteryMessage): void {
  if (process.connected) process.send?.(message)
}
