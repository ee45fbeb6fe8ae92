import { openTrial, type OpenTrial } from '@farebox/conformance/facilitator'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { startReferenceFacilitator } from '../../../e2e/stage/reference-facilitator.ts'
import { setStage } from '../../../e2e/stage/stage.ts'
import { sends, startChainProxy, type ChainProxy } from '../faults/chain-proxy.ts'

/** Facilitators to compare, each with a trial. */
export interface Subjects {
  readonly trials: readonly OpenTrial[]
  stop(): Promise<void>
}

/** Starts our facilitator on a chain of its own stage, and beside it the x402 project's where it is wanted. */
export async function startSubjects(options: { readonly reference: boolean }): Promise<Subjects> {
  const stage = await setStage()
  const stop = (): Promise<void> => stage.strike()
  const wallets = { payTo: TEST_KEYS.agent.address, secondPayTo: TEST_KEYS.secondAgent.address }
  const open = async (start: (rpcUrl: string) => Promise<Started>): Promise<OpenTrial> => {
    const proxy = await startChainProxy(stage.chain.rpcUrl)
    stage.onStrike(proxy.stop)
    const started = await start(proxy.url)
    const beforeSend = (act: () => Promise<void>): void => breakIn(proxy, act)
    const opened = await openTrial({ ...started, ...wallets, rpcUrl: stage.chain.rpcUrl, beforeSend })
    stage.onStrike(opened.close)
    return opened
  }
  try {
    const trials = [
      await open(async rpcUrl => {
        const facilitator = await stage.facilitator({ rpcUrl })
        const { url, adminToken } = facilitator
        const secret = await stage.secret(facilitator, Object.values(wallets))
        return { name: 'farebox', url, secret, adminToken, door: true }
      }),
    ]
    if (options.reference) {
      trials.push(
        await open(async rpcUrl => {
          const { url, stop: stopReference } = await startReferenceFacilitator(rpcUrl)
          stage.onStrike(stopReference)
          // A library: the door it is reached by here is ours.
          return { name: 'x402 reference', url, secret: '', door: false }
        }),
      )
    }
    return { trials, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Started {
  readonly name: string
  readonly url: string
  readonly secret: string
  readonly adminToken?: string
  readonly door: boolean
}

/** Does something once, right before the next transaction reaches the node. */
function breakIn(proxy: ChainProxy, act: () => Promise<void>): void {
  proxy.fault = async call => {
    if (!sends(call)) return undefined
    proxy.fault = undefined
    await act()
    return undefined
  }
}
