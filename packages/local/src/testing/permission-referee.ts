import { localUsdcAbi } from '@farebox/contracts/local-usdc'
import { spendPermissionsAbi } from '@farebox/contracts/spend-permissions'
import { parseEventLogs } from 'viem'
import type { Hex, TransactionReceipt } from 'viem'

interface Ruling {
  readonly limit: bigint
  readonly cap: bigint
  readonly expiry: bigint
}

/**
 * Checks spends by their events only, independently of the contract's storage and of the model. Throws at the first spend
 * that was not permitted.
 */
export function createReferee() {
  const rulings = new Map<Hex, Ruling | undefined>()
  const spent = new Map<Hex, bigint>()
  const refs = new Set<string>()
  let spends = 0
  return {
    /** How many spends were judged. */
    spends: () => spends,
    judge(receipt: TransactionReceipt, time: bigint): void {
      const moved = parseEventLogs({ abi: localUsdcAbi, logs: receipt.logs, eventName: 'Transfer' })
      for (const event of parseEventLogs({ abi: spendPermissionsAbi, logs: receipt.logs })) {
        if (event.eventName === 'PermissionSet') rulings.set(event.args.id, event.args.permission)
        else if (event.eventName === 'PermissionRevoked') rulings.set(event.args.id, undefined)
        else {
          const { id, owner, token, to, amount, ref } = event.args
          const ruling = rulings.get(id)
          const sum = (spent.get(id) ?? 0n) + amount
          require(ruling !== undefined, 'spent after a revocation')
          require(time < ruling.expiry, 'spent after the expiry')
          require(amount > 0n && amount <= ruling.limit, 'spent more than the limit')
          require(sum <= ruling.cap, 'spent more than the cap')
          require(!refs.has(`${id} ${ref}`), 'a ref was used twice')
          const isMoved = moved.some(
            ({ address, args }) =>
              address.toLowerCase() === token.toLowerCase() &&
              args.from === owner &&
              args.to === to &&
              args.value === amount,
          )
          require(isMoved, 'a spend moved nothing')
          refs.add(`${id} ${ref}`)
          spent.set(id, sum)
          spends += 1
        }
      }
    },
  }
}

function require(isKept: boolean, broken: string): asserts isKept {
  if (!isKept) throw new Error(broken)
}
