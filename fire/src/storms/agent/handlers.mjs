// JavaScript, because these agents are started hundreds of times and need not load TypeScript each time.

import { appendFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * The file in which all replicas record their runs; a line this short is appended atomically, even with other writers.
 */
const RUNS_FILE = process.env.STORM_RUNS_FILE

async function note({ text, wait_ms }, { jobId }) {
  const run = randomUUID()
  appendFileSync(RUNS_FILE, `${JSON.stringify({ jobId, run, pid: process.pid, atMs: Date.now() })}\n`)
  await delay(wait_ms)
  return { text, run }
}

// The runtime looks for the default export (D28).
// oxlint-disable-next-line import/no-default-export
export default { note }
