import { fund } from '@farebox/local/chain/faucet'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { agentFaults } from './agent-faults.ts'
import { settleFaults, verifyFaults } from './facilitator-faults.ts'
import type { FaultStage } from './fault-stage.ts'
import { lyingFacilitatorFaults } from './lying-facilitator-faults.ts'
import { nodeFaults } from './node-faults.ts'
import { newPayer, PAYER_ATOMIC, transfersOf, type FundedPayer } from './payer.ts'
import { playFault, type FaultRun } from './play-fault.ts'
import type { ScriptedFault } from './scripted-fault.ts'

/** Every fault that is scripted. */
export const scriptedFaults: readonly ScriptedFault[] = [
  ...settleFaults,
  ...verifyFaults,
  ...lyingFacilitatorFaults,
  ...agentFaults,
  ...nodeFaults,
]

/** Runs going on at once: a slow fault keeps nobody else waiting. */
const AT_ONCE = 16
/** A fault that another one came before is played again, so often at most for each entry. */
const REPLAYS = 20
/** What was late at the end of the last run has arrived by then. */
const SETTLE_DOWN_MS = 3_000

/** Plays runs, one for each entry of `faults`, and at the end looks at the chain once more for all of them. */
export async function playFaults(
  stage: FaultStage,
  faults: readonly ScriptedFault[],
  onRun: (run: FaultRun) => void = () => undefined,
  signal?: AbortSignal,
): Promise<readonly FaultRun[]> {
  const rpc = createJsonRpc(stage.stage.chain.rpcUrl)
  try {
    const runs: FaultRun[] = []
    const queue = [...faults]
    const replays = new Map<ScriptedFault, number>()
    let funding = Promise.resolve()
    let alone: Promise<unknown> = Promise.resolve()
    const play = (fault: ScriptedFault, payer: FundedPayer): Promise<FaultRun> => {
      const begin = (): Promise<FaultRun> => playFault(stage, rpc, fault, payer)
      if (fault.alone !== true) return begin()
      const run = alone.then(begin)
      alone = run
      return run
    }
    const worker = async (): Promise<void> => {
      for (let fault = queue.shift(); fault !== undefined; fault = queue.shift()) {
        if (signal?.aborted === true) return
        const payer = newPayer(stage)
        // One at a time: the faucet is one account.
        funding = funding.then(() => fund(stage.stage.chain, payer.address, { usdcAtomic: PAYER_ATOMIC }))
        await funding
        const run = await play(fault, payer)
        const missed = run.wrong === undefined && !run.happened
        const replayed = replays.get(fault) ?? 0
        if (missed && replayed < REPLAYS) {
          replays.set(fault, replayed + 1)
          queue.push(fault)
          continue
        }
        const played = missed ? { ...run, wrong: 'the fault did not happen' } : run
        runs.push(played)
        onRun(played)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    await new Promise(resolve => {
      setTimeout(resolve, SETTLE_DOWN_MS)
    })
    return await Promise.all(
      runs.map(async run => {
        const transfers = (await transfersOf(rpc, run.payer)).length
        return transfers === run.transfers
          ? run
          : {
              ...run,
              transfers,
              wrong:
                run.wrong ?? `${transfers} transfers in the end, ${run.transfers} when the client was told`,
            }
      }),
    )
  } finally {
    await rpc.close()
  }
}
