import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { fund } from '@farebox/local/chain/faucet'
import { createFacilitatorSecret } from '@farebox/local/src/facilitator-secret'
import { CHILD_LINES, type ChildLine } from '@farebox/local/src/processes/child-process'
import { PLANTED_MARK } from '@farebox/local/src/testing/program-suspects'
import { fromHex } from '@farebox/payments/src/crypto/bytes'
import { setStage, type Stage } from '../stage.ts'
import {
  startHostileFacilitator,
  startKeyedNode,
  type HostileFacilitator,
  type KeyedNode,
} from './hostile-servers.ts'
import { createSecretScan, type SecretScan } from './secret-scan.ts'

/** Real processes with planted secrets, and a scan of all their output. */
export interface SecretStage {
  readonly stage: Stage
  readonly scan: SecretScan
  readonly planted: { readonly [name in keyof typeof PLANTED]: string }
  readonly facilitatorUrl: string
  readonly node: KeyedNode
  /** The first trusts its facilitator, the second checks the chain itself. */
  readonly agents: readonly [WatchedAgent, WatchedAgent]
}

/** An agent whose facilitator repeats its requests. */
export interface WatchedAgent {
  readonly name: string
  readonly url: string
  readonly wallet: string
  readonly facilitator: HostileFacilitator
}

const PLANTED = {
  databasePassword: 'word',
  nodeKey: 'word',
  nodeToken: 'word',
  facilitatorPassword: 'word',
  adminToken: 'word',
  walletPassword: 'word',
  refusedSecret: 'word',
  payerKey: 'key',
  relayerKey: 'key',
} as const

function plant(scan: SecretScan): SecretStage['planted'] {
  const planted = Object.entries(PLANTED).map(([name, kind]) => {
    const random = randomBytes(kind === 'key' ? 32 : 12).toString('hex')
    const secret = kind === 'key' ? `0x${random}` : `${PLANTED_MARK}-${name}-${random}`
    scan.plant(name, secret)
    return [name, secret]
  })
  return Object.fromEntries(planted) as SecretStage['planted']
}

/** Sets it up; `stage.strike` ends it. */
export async function setSecretStage(): Promise<SecretStage> {
  const scan = createSecretScan()
  const planted = plant(scan)
  const read = (message: unknown): void => {
    const { command, pid, line } = message as ChildLine
    scan.read(`${command.split('/').at(-1)} (process ${pid})`, `${line}\n`)
  }
  subscribe(CHILD_LINES, read)
  const stage = await setStage()
  stage.onStrike(async () => void unsubscribe(CHILD_LINES, read))
  const addressOf = (key: string): string => stage.crypto.addressOf(fromHex(key))
  await fund(stage.chain, addressOf(planted.relayerKey), { wei: 10n ** 20n })
  await fund(stage.chain, addressOf(planted.payerKey), { usdcAtomic: 1_000_000_000n })
  const node = await startKeyedNode(stage.chain.rpcUrl, `/v3/${planted.nodeKey}?token=${planted.nodeToken}`)
  stage.onStrike(node.stop)
  const database = new URL(stage.databaseUrl)
  // A server that trusts this machine accepts any password.
  if (database.password === '') database.password = planted.databasePassword
  const { url: facilitatorUrl } = await stage.facilitator({
    rpcUrl: node.url,
    environment: {
      DATABASE_URL: database.href,
      RELAYER_PRIVATE_KEY: planted.relayerKey,
      FACILITATOR_ADMIN_TOKEN: planted.adminToken,
    },
  })
  const parts = { stage, scan, planted, facilitatorUrl, node }
  return { ...parts, agents: [await startAgent(parts, 'believer'), await startAgent(parts, 'doubter')] }
}

async function startAgent(
  { stage, scan, planted, facilitatorUrl, node }: Omit<SecretStage, 'agents'>,
  name: 'believer' | 'doubter',
): Promise<WatchedAgent> {
  const wallet = `0x${randomBytes(20).toString('hex')}`
  const administration = { url: facilitatorUrl, adminToken: planted.adminToken }
  const { secret } = await createFacilitatorSecret(administration, { owner: name, wallets: [wallet] })
  scan.plant(`secret of the ${name}`, secret)
  const facilitator = await startHostileFacilitator(facilitatorUrl, { hidesHolds: name === 'doubter' })
  stage.onStrike(facilitator.stop)
  const { url } = await stage.agent({
    name,
    config: 'e2e/agents/betraying/agent.json',
    facilitator: { url: facilitator.url.replace('//', `//agent:${planted.facilitatorPassword}@`) },
    secret,
    wallet,
    store: `lmdb:${join(stage.folder, name)}`,
    ...(name === 'doubter' && { environment: { SERVICE_RPC_URL: node.url } }),
  })
  return { name, url, wallet, facilitator }
}
