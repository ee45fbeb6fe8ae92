import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { createAgent } from 'farebox'
import { loadHandlers } from 'farebox/internal/command-line'
import { DEV_WALLET } from '../messages/dev-variables.ts'

/**
 * Does once, on something made up, what takes long the first time: starting the loader of TypeScript with its
 * compiler, compiling the runtime's code. Never fails: what cannot be warmed will be cold.
 */
export async function warmUp(): Promise<void> {
  // A text of its own: what a loader has in its cache would not start the compiler.
  const file = join(tmpdir(), `farebox-warm-${process.pid}-${performance.now()}.mts`)
  try {
    await writeFile(file, `export default (input: object): object => ({ ...input, at: '${file}' })\n`)
    const handlers = await loadHandlers(file)
    const agent = await createAgent({
      declaration: DECLARATION,
      handlers,
      variables: VARIABLES,
      ports: { log: SILENT },
    })
    await agent.close()
  } catch {
    // Said when it is met for real.
  } finally {
    await rm(file, { force: true }).catch(() => undefined)
  }
}

const VARIABLES = { SERVICE_DEV_MODE: 'true', SERVICE_STORE: 'memory:', AGENT_WALLET_ADDRESS: DEV_WALLET }

const SILENT = { job() {}, note() {}, warn() {}, flush() {} }

const DECLARATION: Declaration = {
  service_version: '1.0',
  name: 'Warm',
  description: '',
  wallet: DEV_WALLET,
  max_deadline_seconds: 1,
  capabilities: {
    warm: {
      description: '',
      pricing: { model: 'per_job', amount: '0.01', currency: 'USDC' },
      input_schema: { text: { type: 'string' } },
      output_schema: { at: { type: 'string' } },
    },
  },
}
