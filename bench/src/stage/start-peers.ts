import { fund } from '@farebox/local/chain/faucet'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { builtFile, startServer, type Server } from './start-server.ts'
import type { Stage } from './stage.ts'

/** More than any run spends. */
const PAYER_USDC_ATOMIC = 1_000_000_000_000n

/** A local chain with a funded payer, removed at the end of the scene. */
export async function startFundedChain(stage: Stage): Promise<LocalChain> {
  const chain = await startChain()
  stage.onStrike(chain.stop)
  await fund(chain, TEST_KEYS.payer.address, { usdcAtomic: PAYER_USDC_ATOMIC })
  return chain
}

/** The x402 project's facilitator on a chain. */
export async function startReferenceFacilitator(
  stage: Stage,
  chain: LocalChain,
  relayerKey: string = TEST_KEYS.relayer.privateKey,
): Promise<Server> {
  return await startServer(stage, {
    name: 'reference-facilitator',
    file: builtFile('peers/reference-facilitator.js'),
    environment: { RPC_URL: chain.rpcUrl, RELAYER_PRIVATE_KEY: relayerKey },
  })
}

/** A facilitator that accepts everything at once, so that only the cost of the calling server is measured. */
export async function startStubFacilitator(stage: Stage): Promise<Server> {
  return await startServer(stage, {
    name: 'stub-facilitator',
    file: builtFile('peers/stub-facilitator.js'),
    environment: {},
  })
}

/** A server with the x402 project's middleware for Hono. */
export async function startX402Server(stage: Stage, facilitator: Server): Promise<Server> {
  return await startServer(stage, {
    name: 'x402-hono',
    file: builtFile('peers/x402-hono.js'),
    environment: { FACILITATOR_URL: facilitator.url, PAY_TO: TEST_KEYS.agent.address },
  })
}
