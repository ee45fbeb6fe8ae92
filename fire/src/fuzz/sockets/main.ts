import { attackSlowly, BATTERY } from './slow-clients.ts'
import { fuzzSockets } from './raw-sockets.ts'
import { startAgentProcess } from './start-agent-process.ts'

/** The whole battery over sockets: raw bytes, then slow clients; a line each, exit 1 where a target is missed. */
const HEALTH_TARGET_MS = 250
const seed = Number(process.argv[2] ?? 1)
const agent = await startAgentProcess()
const wrong = await fuzzSockets(agent.port, { seed, broken: 5_000 })
for (const reason of wrong) process.stdout.write(`✗ ${reason}\n`)
process.stdout.write(`raw sockets: ${wrong.length} findings\n`)
const scores = await attackSlowly(agent.port, BATTERY, score =>
  process.stdout.write(`${JSON.stringify(score)}\n`),
)
const isWell =
  wrong.length === 0 && agent.isAlive() && scores.every(({ healthP99Ms }) => healthP99Ms < HEALTH_TARGET_MS)
await agent.stop()
process.exitCode = isWell ? 0 : 1
