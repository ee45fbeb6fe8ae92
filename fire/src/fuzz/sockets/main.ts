import { parseArgs } from 'node:util'
import { fuzzSockets } from './raw-sockets.ts'
import { attackSlowly, FULL_ATTACKS } from './slow-clients.ts'
import { startFuzzAgentProcess } from './start-agent-process.ts'

/** Raw bytes, then slow clients, alone; a line each, exit 1 where a target is missed. */
const HEALTH_TARGET_MS = 250
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    broken: { type: 'string', default: '50000' },
    attacks: { type: 'boolean', default: false },
  },
})
const startedMs = performance.now()
const agent = await startFuzzAgentProcess()
const raw = await fuzzSockets(agent.port, { seed: Number(values.seed), broken: Number(values.broken) })
for (const reason of raw.wrong) process.stdout.write(`✗ ${reason}\n`)
const seconds = Math.round((performance.now() - startedMs) / 1_000)
process.stdout.write(
  `raw sockets: ${raw.exchanges} exchanges, ${raw.answers} answers, ${raw.wrong.length} findings, ${seconds} s\n`,
)
const scores = values.attacks
  ? await attackSlowly(agent.port, FULL_ATTACKS, score => process.stdout.write(`${JSON.stringify(score)}\n`))
  : []
const isWell = scores.every(({ healthP99Ms }) => healthP99Ms < HEALTH_TARGET_MS)
process.exitCode = isWell && raw.wrong.length === 0 && agent.isAlive() ? 0 : 1
await agent.stop()
