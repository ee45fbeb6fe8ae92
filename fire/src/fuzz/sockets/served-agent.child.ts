import { serveAgent } from './served-agent.ts'

// A process of its own, so that what is measured is the agent and not its attackers.
const { agent, port } = await serveAgent()
process.send?.(port)
process.once('disconnect', () => void agent.close().then(() => process.exit(0)))
