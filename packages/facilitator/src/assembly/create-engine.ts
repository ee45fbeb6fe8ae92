import { createSignatureVerifier } from '@farebox/payments/x402/verify-signature'
import { createAnnounceBudget } from '../engine/announce-budget.ts'
import type { Engine } from '../engine/engine.ts'
import { recoverCharge } from '../engine/recover-charge.ts'
import { rememberProofs } from '../engine/remember-proofs.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { SettlementLoop } from '../relayer/settlement-loop.ts'
import type { ChainWatch } from '../relayer/watch-chain.ts'
import type { Parts } from './read-parts.ts'
import type { Settling } from './start-settling.ts'

/** Assembles the dependencies of the routes that verify and settle. */
export function createEngine(
  parts: Parts,
  { watch, settlementLoop, waiters, reported }: Omit<Settling, 'close'>,
): Engine {
  const { network, crypto, ledger, clock, log, limits, metrics, reader, observe, readCodes } = parts
  return {
    network,
    verifier: rememberProofs(createSignatureVerifier(crypto, [network])),
    ledger: ledger.payments,
    waiters,
    isBeingWritten: payer => reported.isOf(payer),
    clock,
    ...limits,
    ownerLimits: limits.owners,
    readCode: async payer => (await readCodes([payer]))[0]?.kind ?? 'unknown',
    log,
    announceBudget: createAnnounceBudget({ clock, log }),
    observe: async payment => await seen(watch, observe(payment)),
    blockSeconds: blockNumber => reader.readBlockSeconds(blockNumber),
    chainNow: () => watch.chainNow(),
    unavailable: () => watch.unusable(),
    recoverCharge: (caller, request) => recoverCharge({ reader, audit: ledger.audit }, caller, request),
    chargeAtOnce: request => settlementLoop.chargeAtOnce(request),
    onCaptured(isSent) {
      metrics.payments.inc({ state: 'captured', reason: '' })
      if (!isSent) wakeSettlementLoop(settlementLoop, ledger)
    },
  }
}

async function seen<Block extends { readonly blockSeconds: number }>(
  watch: ChainWatch,
  observing: Promise<Block>,
): Promise<Block> {
  const observation = await observing
  watch.sawBlock(observation.blockSeconds)
  return observation
}

/** Wakes the settlement loop of this process, or sends a signal to the process that holds the lease. */
function wakeSettlementLoop(settlementLoop: SettlementLoop, ledger: Ledger): void {
  if (settlementLoop.holdsLease()) settlementLoop.wake()
  else void ledger.signals.publish({ kind: 'captured' })
}
