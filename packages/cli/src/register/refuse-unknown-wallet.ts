import { readWallet } from '../keys/wallet-files.ts'
import type { World } from '../world.ts'
import type { RawRegisterOptions } from './platform/register-options.ts'
import { runWithJson } from './platform/run-with-json.ts'

/**
 * Makes sure that the wallet that is named is there before the agent is asked anything: its name is needed only after
 * all that, and a slip in it would be told by then.
 *
 * @throws {CommandError} where there is no such wallet
 */
export async function refuseUnknownWallet(world: World, options: RawRegisterOptions): Promise<void> {
  const { wallet } = options
  if (typeof wallet !== 'string') return
  await runWithJson(world, options, async () => {
    await readWallet(world, wallet)
    return undefined
  })
}
