import { randomUUID } from 'node:crypto'
import { buildGraph, type Graph } from '@farebox/flows/graph/graph'
import { applyEvent } from '@farebox/flows/run/apply-event'
import type { RunEffect, RunEvent } from '@farebox/flows/run/run-event'
import { startRun } from '@farebox/flows/run/start-run'
import { statusOf } from '@farebox/flows/run/run-status'
import type { Contender } from '../rounds/interleave.ts'
import { DECLARATION } from './stub-world.ts'
import { INPUT, STEPS, threeSteps } from './three-steps.ts'

const NOW = 1_800_000_000

/** CPU time of one run in milliseconds: the engine's, and beside it what its states take to be written and read as JSON. */
export async function engineContenders(runs: number): Promise<readonly Contender<number>[]> {
  const graph = buildGraph(await threeSteps(1))
  const states = playRun(graph)
  return [
    timed('engine', runs, () => void playRun(graph)),
    timed('JSON', runs, () => {
      for (const state of states) JSON.parse(JSON.stringify(state))
    }),
  ]
}

/** A run from its start to its end, with every state that it had; a platform stores each of them. */
function playRun(graph: Graph): readonly unknown[] {
  const started = startRun(graph, INPUT, { max_total: '0.006', now: NOW })
  if (!started.ok) throw new Error(started.reason)
  let { run } = started
  const states: unknown[] = []
  const apply = (event: RunEvent): readonly RunEffect[] => {
    const applied = applyEvent(graph, run, event, NOW)
    if (!applied.ok) throw new Error(applied.reason)
    run = applied.run
    states.push(run)
    return applied.effects
  }
  const due: RunEffect[] = []
  for (const key of STEPS) {
    const payment = {
      job_id: randomUUID(),
      amount: '0.002',
      pay_to: DECLARATION.wallet,
      valid_before: NOW + 900,
    }
    due.push(...apply({ event: 'paid-in', key, payment }))
  }
  for (let effect = due.shift(); effect !== undefined; effect = due.shift()) {
    if (effect.effect === 'quote') {
      const quote = { price: '0.002', pay_to: DECLARATION.wallet }
      due.push(...apply({ event: 'quoted', key: effect.key, quote }))
    } else if (effect.effect === 'send') {
      const { key, job_id, input } = effect
      const text = String(input['text']).toUpperCase()
      due.push(...apply({ event: 'completed', key, job_id, output: { text } }))
    }
  }
  const { status } = statusOf(graph, run)
  if (status !== 'completed') throw new Error(`the run is ${status}`)
  return states
}

function timed(name: string, runs: number, work: () => void): Contender<number> {
  return {
    name,
    async run() {
      const before = process.cpuUsage()
      for (let run = 0; run < runs; run += 1) work()
      const { user, system } = process.cpuUsage(before)
      return await Promise.resolve((user + system) / 1_000 / runs)
    },
  }
}
